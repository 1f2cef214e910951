import NatterCore
import TerminalNcurses

/// The entry that stands in for the terminal's own, where that is missing and the user has not heard of it yet.
struct SubstituteEntry {
  private var entry: TerminalEntry?

  init(_ entry: TerminalEntry) { self.entry = entry.isSubstitute ? entry : nil }

  /// What the user is told of it: once.
  mutating func takeNotice() -> StatusNotice? {
    defer { entry = nil }
    return entry.map {
      StatusNotice(.warning, "status.terminalUnknown", ["term": $0.terminal, "entry": $0.name])
    }
  }
}
