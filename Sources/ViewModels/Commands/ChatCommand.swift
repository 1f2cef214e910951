extension Command {
  /// `/chat ADDRESS|NICK`: opens the conversation with somebody. In a room, an occupant's nick comes before a contact's name.
  package static let chat = Command("chat", aliases: ["query"], [.somebody], required: 1) {
    call, context in
    context.open(try context.somebody(call.rest))
  }
}
