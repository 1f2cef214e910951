extension Command {
  /// `/chat ADDRESS|NICK`: opens a conversation. In a room, an occupant's nick has precedence over
  /// a contact's name.
  package static let chat = Command("chat", aliases: ["query"], [.somebody], required: 1) {
    call, context in
    context.open(try context.somebody(call.rest))
  }
}
