import NatterCore

extension Command {
  /// `/theme [NAME]`: takes a theme, or changes between day and night.
  package static let theme = Command("theme", [.theme]) { call, context in
    guard !call.rest.isEmpty else { return context.actions.toggleTheme() }
    guard context.actions.setTheme(call.rest) else {
      throw NatterError(
        .invalidInput, "error.unknownTheme",
        ["name": call.rest, "names": context.actions.themeNames().joined(separator: ", ")])
    }
  }
}
