import FoundationEssentials
import Glibc
import JSONLines
import Text
import ViewModels

/// The standard output of a command that may print many lines: they are written in large pieces.
final class ReadingOutput {
  /// The end of a command whose reader has gone away, as `head` does: it is no failure.
  struct Closed: Error {}

  /// The most bytes that wait to be written.
  private static let limit = 64 << 10

  private let localizer: Localizer
  private let pass: (String) throws(POSIXError) -> Bool
  private var waiting = ""

  /// - Parameter pass: writes text; returns `false` if nothing reads it any more.
  init(
    _ localizer: Localizer,
    pass: @escaping (String) throws(POSIXError) -> Bool = { (text) throws(POSIXError) in
      try StandardStreams.pass(text)
    }
  ) {
    self.localizer = localizer
    self.pass = pass
  }

  /// Prints a line; it may wait until `finish`.
  /// - Throws: `Closed`, and `CommandFailure` when it cannot be written.
  func print(_ line: String) throws {
    waiting += line
    waiting += "\n"
    if waiting.utf8.count >= Self.limit { try finish() }
  }

  func print(_ object: JSONLine) throws { try print(object.text) }

  /// Writes everything that waits.
  func finish() throws {
    guard !waiting.isEmpty else { return }
    let text = waiting
    waiting = ""
    let isOpen: Bool
    do { isOpen = try pass(text) } catch { throw CommandFailure(writing: error, localizer) }
    guard isOpen else { throw Closed() }
  }
}
