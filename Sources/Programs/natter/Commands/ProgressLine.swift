import Glibc
import Terminal

/// A line of standard error that is rewritten on a terminal; nothing elsewhere.
@MainActor final class ProgressLine {
  private let isTerminal = isatty(STDERR_FILENO) == 1
  private var isShown = false

  /// - Parameters:
  ///   - name: cut where the line is too narrow for both. Untrusted: made safe here.
  ///   - progress: the text about its progress.
  func show(_ name: String, _ progress: String) {
    guard isTerminal else { return }
    write("\r" + Self.line(name, progress, columns: Self.columns() - 1) + "\u{1B}[K")
    isShown = true
  }

  /// Erases the line.
  func end() {
    guard isTerminal, isShown else { return }
    write("\r\u{1B}[K")
    isShown = false
  }

  /// Both texts in one line of so many columns. A wider line would continue in the next one, and
  /// could not be erased.
  nonisolated static func line(_ name: String, _ progress: String, columns: Int) -> String {
    let (name, progress) = (SafeText.line(name), "  " + SafeText.line(progress))
    let room = columns - progress.columns
    return ((room > 0 ? name.truncated(columns: room) : "") + progress).truncated(
      columns: max(0, columns))
  }

  /// The current width of the terminal, which may have changed since the last line.
  private static func columns() -> Int {
    var size = winsize()
    guard ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
    return Int(size.ws_col)
  }

  private func write(_ text: String) { StandardStreams.write(text, to: STDERR_FILENO) }
}
