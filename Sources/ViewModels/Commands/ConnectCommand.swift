extension Command {
  /// `/connect`: ends a wait, or being offline, and tries at once.
  package static let connect = Command("connect") { _, context in context.connect() }
}
