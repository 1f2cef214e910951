extension Command {
  /// `/reload`: reloads the files of settings, keys and themes.
  package static let reload = Command("reload") { _, context in context.actions.reload() }
}
