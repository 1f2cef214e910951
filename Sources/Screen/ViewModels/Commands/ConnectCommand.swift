extension Command {
  /// `/connect`: ends a wait or the offline state, and connects at once.
  package static let connect = Command("connect") { _, context in context.connect() }
}
