extension Command {
  /// `/chat ADDRESS`: opens the conversation with somebody.
  package static let chat = Command("chat", aliases: ["query"], [.person], required: 1) {
    call, context in
    context.open(try context.person(call.rest))
  }
}
