import NatterCore

extension Command {
  /// `/theme [NAME]`: takes a theme, or the one that fits the surroundings.
  package static let theme = Command("theme", [.theme]) { call, context in
    guard context.actions.setTheme(call.rest.isEmpty ? ThemeActions.automatic : call.rest) else {
      throw NatterError(
        .invalidInput, "error.unknownTheme",
        ["name": call.rest, "names": context.actions.themeNames().joined(separator: ", ")])
    }
  }
}
