import Foundation
import Terminal

/// What commands print. Text from outside goes through `SafeText` before it gets here.
enum StandardStreams {
  static func print(_ text: String) { write(text + "\n", to: STDOUT_FILENO) }
  static func printError(_ text: String) { write(text + "\n", to: STDERR_FILENO) }

  /// Writes all of `text`; a reader that has gone is no error of ours.
  static func write(_ text: String, to descriptor: Int32) {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      let written = bytes.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
      if written < 0 {
        if errno == EINTR { continue }
        return
      }
      bytes = bytes.dropFirst(written)
    }
  }

  /// The first line of `descriptor`'s input, without the line's end.
  static func firstLine(of handle: FileHandle) throws -> String {
    let text = String(decoding: try handle.readToEnd() ?? Data(), as: UTF8.self)
    return String(text.prefix { !$0.isNewline })
  }
}
