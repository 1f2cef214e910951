extension Command {
  /// `/msg ADDRESS TEXT`: opens the conversation with somebody and sends the text.
  package static let msg = Command("msg", [.person, .text], required: 2) { call, context in
    let (jid, text) = try context.addressee(call)
    context.send(text, to: jid)
  }
}
