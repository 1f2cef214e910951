extension Command {
  /// `/redraw`: redraws the whole screen.
  package static let redraw = Command("redraw") { _, context in context.actions.redraw() }
}
