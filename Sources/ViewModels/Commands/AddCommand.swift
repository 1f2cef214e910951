extension Command {
  /// `/add ADDRESS`: adds somebody to the contacts and asks to see his presence.
  package static let add = Command("add", [.person], required: 1) { call, context in
    context.addContact(try context.person(call.rest))
  }
}
