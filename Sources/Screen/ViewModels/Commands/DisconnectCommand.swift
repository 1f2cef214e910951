extension Command {
  /// `/disconnect`: closes the connection and stays offline.
  package static let disconnect = Command("disconnect") { _, context in context.disconnect() }
}
