import FoundationEssentials
import Glibc
import TerminalNcurses
import ViewModels

/// What commands print. Text from outside goes through `SafeText` before it gets here.
enum StandardStreams {
  static func print(_ text: String) { write(text + "\n", to: STDOUT_FILENO) }
  static func printError(_ text: String) { write(text + "\n", to: STDERR_FILENO) }

  /// Prints the one thing that was asked for.
  /// - Throws: `errno` where it could not be written.
  static func show(_ text: String) throws(POSIXError) {
    try writeAll(text + "\n", to: STDOUT_FILENO)
  }

  /// Prints a part of what was asked for.
  /// - Throws: `CommandFailure` where it could not be written: a report that is not there is no success.
  static func report(_ text: String, _ localizer: Localizer) throws(CommandFailure) {
    do { try show(text) } catch {
      throw CommandFailure(
        code: .failed,
        text: localizer(
          "cli.output-failed", ["reason": String(error.code.rawValue)]))
    }
  }

  /// Writes all of `text` where it can be written.
  static func write(_ text: String, to descriptor: Int32) {
    // Nobody would see what could be said of it.
    try? writeAll(text, to: descriptor)
  }

  /// Whether `descriptor` takes everything: what is no terminal, and a terminal in UTF-8. To others bytes 80 to 9F of it are
  /// commands (C1), whoever has written the text. Nobody asks the terminal here: what the locale says holds.
  nonisolated static func takesUTF8(_ descriptor: Int32) -> Bool {
    isUTF8Locale || isatty(descriptor) == 0
  }

  nonisolated private static let isUTF8Locale = CharacterSet.isUTF8(
    in: ProgramArguments.environment)
  nonisolated private static let latin = CharacterSet.Latin(
    environment: ProgramArguments.environment)

  /// A line that was typed, or that a program has written, which is in UTF-8.
  nonisolated static func line(_ bytes: some Collection<UInt8>, of descriptor: Int32) -> String {
    CharacterSet.text(of: bytes, in: takesUTF8(descriptor) ? nil : latin)
  }

  /// Writes all of `text`; a reader that has gone is no error of ours.
  /// - Throws: `errno` of a write that failed.
  private static func writeAll(_ text: String, to descriptor: Int32) throws(POSIXError) {
    let isSafe = text.utf8.allSatisfy { $0 < 0x80 } || takesUTF8(descriptor)
    // A terminal without UTF-8 has no emoji; their English names are in ASCII.
    var bytes =
      (isSafe
      ? Array(text.utf8)
      : CharacterSet.bytes(of: EmojiNames(tag: "en").spelledOut(text), in: latin))[...]
    while !bytes.isEmpty {
      let written = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if written < 0 {
        if errno == EINTR { continue }
        if errno == EPIPE { return }
        throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
      }
      bytes = bytes.dropFirst(written)
    }
  }

  /// Everything that can be read from `descriptor`, until its end.
  /// - Throws: `errno` of a read that failed.
  /// - Parameter limit: bytes after which it reads no more.
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

  /// The first line of `descriptor`'s input, without the line's end.
  /// - Throws: `errno` of a read that failed.
  static func firstLine(of descriptor: Int32) throws(POSIXError) -> String {
    let bytes = try readAll(from: descriptor).prefix { $0 != 0x0A && $0 != 0x0D }
    // Neither a picture nor a disk's image is a password.
    guard bytes.count <= 4096, !bytes.contains(0) else { throw POSIXError(.EILSEQ) }
    guard let text = String(validating: bytes, as: UTF8.self) else { throw POSIXError(.EILSEQ) }
    return text
  }
}
