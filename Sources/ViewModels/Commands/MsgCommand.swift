extension Command {
  /// `/msg ADDRESS TEXT`: opens the conversation with somebody and sends the text.
  package static let msg = Command("msg", [.person, .text], required: 2) { call, context in
    let (who, text) = call.split
    let jid = try context.person(who)
    context.send(text, to: jid)
  }
}
