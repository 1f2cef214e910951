extension Command {
  /// `/remove ADDRESS`: takes somebody off the contacts, after asking.
  package static let remove = Command("remove", [.person], required: 1) { call, context in
    context.removeContact(try context.contact(call.rest))
  }
}
