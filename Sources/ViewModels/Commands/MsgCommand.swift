extension Command {
  /// `/msg ADDRESS|NICK [TEXT]`: opens the conversation with somebody, and sends the text. In a room, an occupant's nick comes
  /// before a contact's name.
  package static let msg = Command("msg", [.somebody, .text], required: 1) { call, context in
    let (jid, text) = try context.addressee(call)
    if text.isEmpty { context.open(jid) } else { context.send(text, to: jid) }
  }
}
