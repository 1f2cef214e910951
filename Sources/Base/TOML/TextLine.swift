/// One line of a text file, with its line end: a change of a file keeps LF and CRLF as they are.
///
/// A `Character` is a whole `CR LF`, so that splitting a text at `"\n"` would find no line in a
/// file with such ends.
package struct TextLine: Hashable, Sendable {
  /// Without its end.
  package var text: String
  /// LF, CR LF, or empty for a last line without one.
  package var end: String

  package init(_ text: String, end: String = "\n") {
    self.text = text
    self.end = end
  }

  /// Splits `text` into lines; `joined` restores the same text.
  package static func lines(of text: String) -> [TextLine] {
    var lines: [TextLine] = []
    var rest = text.utf8[...]
    while !rest.isEmpty {
      guard let newline = rest.firstIndex(of: UInt8(ascii: "\n")) else {
        lines.append(TextLine(String(Substring(rest)), end: ""))
        break
      }
      let body = rest[..<newline]
      let hasReturn = body.last == UInt8(ascii: "\r")
      lines.append(
        TextLine(
          String(decoding: hasReturn ? body.dropLast() : body, as: UTF8.self),
          end: hasReturn ? "\r\n" : "\n"))
      rest = rest[rest.index(after: newline)...]
    }
    return lines
  }
}

extension [TextLine] {
  /// The text that consists of these lines.
  package var joined: String { map { $0.text + $0.end }.joined() }

  /// The line end for new lines among these: that of the first one.
  package var commonEnd: String { first { !$0.end.isEmpty }?.end ?? "\n" }
}
