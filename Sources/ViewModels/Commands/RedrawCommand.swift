extension Command {
  /// `/redraw`: draws everything anew.
  package static let redraw = Command("redraw") { _, context in context.actions.redraw() }
}
