import FoundationEssentials
import Glibc
import TerminalNcurses
import Text
import ViewModels

/// The output of commands. Untrusted text goes through `SafeText` before it gets here.
enum StandardStreams {
  static func print(_ text: String) { write(text + "\n", to: STDOUT_FILENO) }
  static func printError(_ text: String) { write(text + "\n", to: STDERR_FILENO) }

  /// Prints the output that was requested.
  /// - Throws: `errno` when it could not be written.
  static func show(_ text: String) throws(POSIXError) {
    try writeAll(text + "\n", to: STDOUT_FILENO)
  }

  /// Prints a part of the output that was requested.
  /// - Throws: `CommandFailure` when it could not be written.
  static func report(_ text: String, _ localizer: Localizer) throws(CommandFailure) {
    do { try show(text) } catch { throw CommandFailure(writing: error, localizer) }
  }

  /// Prints a part of a long output, as it is.
  /// - Returns: `false` if nothing reads it any more: its pipe is closed.
  /// - Throws: `errno` when it could not be written.
  static func pass(_ text: String) throws(POSIXError) -> Bool {
    try writeAll(text, to: STDOUT_FILENO)
  }

  /// Writes all of `text` if possible.
  static func write(_ text: String, to descriptor: Int32) {
    // An error could not be reported anywhere.
    _ = try? writeAll(text, to: descriptor)
  }

  /// Returns whether `descriptor` takes UTF-8: files and pipes, and a terminal in UTF-8. To other
  /// terminals the bytes 80 to 9F are control codes (C1), whatever the source of the text. The
  /// terminal is not queried here: the locale decides.
  nonisolated static func takesUTF8(_ descriptor: Int32) -> Bool {
    isUTF8Locale || isatty(descriptor) == 0
  }

  nonisolated private static let isUTF8Locale = CharacterSet.isUTF8(
    in: ProgramArguments.environment)
  nonisolated private static let latin = CharacterSet.Latin(
    environment: ProgramArguments.environment)

  /// A line that was typed, or written by a program, which is in UTF-8.
  nonisolated static func line(_ bytes: some Collection<UInt8>, of descriptor: Int32) -> String {
    CharacterSet.text(of: bytes, in: takesUTF8(descriptor) ? nil : latin)
  }

  /// Writes all of `text`; a closed pipe is not an error here.
  /// - Returns: `false` for a closed pipe.
  /// - Throws: `errno` of a write that failed.
  @discardableResult
  private static func writeAll(_ text: String, to descriptor: Int32) throws(POSIXError) -> Bool {
    // A long output is looked through only where that decides something.
    let isSafe = takesUTF8(descriptor) || text.utf8.allSatisfy { $0 < 0x80 }
    // A terminal without UTF-8 has no emoji; their English names are in ASCII.
    var bytes =
      (isSafe
      ? Array(text.utf8)
      : CharacterSet.bytes(of: EmojiNames(tag: "en").spelledOut(text), in: latin))[...]
    while !bytes.isEmpty {
      let written = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if written < 0 {
        if errno == EINTR { continue }
        if errno == EPIPE { return false }
        throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
      }
      bytes = bytes.dropFirst(written)
    }
    return true
  }

  /// Reads `descriptor` until its end.
  /// - Throws: `errno` of a read that failed.
  /// - Parameter limit: bytes after which it stops reading.
  static func readAll(from descriptor: Int32, limit: Int = .max) throws(POSIXError) -> [UInt8] {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = read(descriptor, &chunk, chunk.count)
      if count == 0 { return bytes }
      if count > 0 {
        bytes += chunk[..<min(count, limit - bytes.count)]
        if bytes.count >= limit { return bytes }
      } else if errno != EINTR {
        throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
      }
    }
  }

  /// The longest password, in bytes.
  nonisolated private static let lineLimit = 4096

  /// Returns the first line of `descriptor`'s input, without the line ending. Reads at most 16
  /// times the longest password: the input may have no end, as /dev/zero.
  /// - Throws: `errno` of a read that failed; `EILSEQ` if it is no password.
  static func firstLine(of descriptor: Int32) throws(POSIXError) -> String {
    let bytes = try readAll(from: descriptor, limit: 16 * lineLimit).prefix {
      $0 != 0x0A && $0 != 0x0D
    }
    // Rejects binary files, such as pictures and disk images, as passwords.
    guard bytes.count <= lineLimit, !bytes.contains(0) else { throw POSIXError(.EILSEQ) }
    guard let text = String(validating: bytes, as: UTF8.self) else { throw POSIXError(.EILSEQ) }
    return text
  }
}
