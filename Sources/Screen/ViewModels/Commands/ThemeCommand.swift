import NatterCore

extension Command {
  /// `/theme [NAME]`: sets a theme; without a name, the one that fits the terminal and the time of
  /// day.
  package static let theme = Command("theme", [.theme]) { call, context in
    guard context.actions.setTheme(call.rest.isEmpty ? ThemeActions.automatic : call.rest) else {
      throw NatterError(
        .invalidInput, "error.unknownTheme",
        ["name": call.rest, "names": context.actions.themeNames().joined(separator: ", ")])
    }
  }
}
