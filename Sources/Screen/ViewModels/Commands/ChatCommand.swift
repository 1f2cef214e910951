extension Command {
  /// `/chat ADDRESS|NICK`: opens a conversation. In a room, an occupant's nick has precedence over
  /// a contact's name.
  package static let chat = Command("chat", aliases: ["query"], [.peer], required: 1) {
    call, context in
    // An address with a text for the input (XEP-0147 §3) is opened as from the command line.
    if let address = ResourceAddress(call.rest), address.scheme == .xmpp,
      address.query == "message", address.parameters["body"] != nil
    {
      return try context.actions.openAddress(call.rest, false)
    }
    context.open(try context.peer(call.rest))
  }
}
