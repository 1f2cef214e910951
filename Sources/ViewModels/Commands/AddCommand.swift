extension Command {
  /// `/add [ADDRESS]`: adds somebody to the contacts and asks to see his presence; alone, whoever the conversation is with.
  package static let add = Command("add", [.person]) { call, context in
    context.addContact(
      try call.rest.isEmpty ? context.personHere(for: "add") : context.contact(call.rest))
  }
}
