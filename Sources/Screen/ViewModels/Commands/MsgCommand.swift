extension Command {
  /// `/msg ADDRESS|NICK [TEXT]`: opens a conversation and sends the text. In a room, an occupant's
  /// nick has precedence over a contact's name.
  package static let msg = Command("msg", [.peer, .text], required: 1) { call, context in
    let (jid, text) = try context.addressee(call)
    if text.isEmpty { context.open(jid) } else { context.send(text, to: jid) }
  }
}
