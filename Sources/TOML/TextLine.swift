/// One line of a text file, with the line end that it has there: a file that is changed keeps LF where it has LF, and CRLF
/// where it has CRLF.
///
/// A `Character` is a whole `CR LF`, so that splitting a text at `"\n"` finds no line in a file of such ends.
package struct TextLine: Hashable, Sendable {
  /// Without its end.
  package var text: String
  /// LF, CR LF, or nothing behind the last line of a text without one.
  package var end: String

  package init(_ text: String, end: String = "\n") {
    self.text = text
    self.end = end
  }

  /// The lines of `text`; put together by `joined` they are the same text again.
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
  /// The text that these are the lines of.
  package var joined: String { map { $0.text + $0.end }.joined() }

  /// The end that new lines get among these: that of the first one.
  package var commonEnd: String { first { !$0.end.isEmpty }?.end ?? "\n" }
}
