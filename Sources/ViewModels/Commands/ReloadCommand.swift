extension Command {
  /// `/reload`: reads the files of settings, keys and themes again.
  package static let reload = Command("reload") { _, context in context.actions.reload() }
}
