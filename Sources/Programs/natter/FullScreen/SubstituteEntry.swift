import NatterCore
import TerminalNcurses

/// The terminfo entry that is used instead of the terminal's own, if that is missing and the user
/// has not been notified yet.
struct SubstituteEntry {
  private var entry: TerminalEntry?

  init(_ entry: TerminalEntry) { self.entry = entry.isSubstitute ? entry : nil }

  /// The notice about it; returned once.
  mutating func takeNotice() -> StatusNotice? {
    defer { entry = nil }
    return entry.map {
      StatusNotice(.warning, "status.terminalUnknown", ["term": $0.terminal, "entry": $0.name])
    }
  }
}
