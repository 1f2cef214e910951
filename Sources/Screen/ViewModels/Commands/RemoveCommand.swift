extension Command {
  /// `/remove ADDRESS`: removes a contact, after a confirmation.
  package static let remove = Command("remove", [.person], required: 1) { call, context in
    context.removeContact(try context.contact(call.rest))
  }
}
