import TOML

/// The lines of a value that is about to be changed, with the user's comments among them.
struct OldValue {
  private let lines: [String]
  private let key: String

  /// - Parameter lines: from that of the key to that of the value's end; at least one.
  init(_ lines: [String], key: String) {
    (self.lines, self.key) = (lines, key)
  }

  /// The lines that remain if the setting is removed from the file: each comment on a line of its
  /// own.
  var comments: [String] {
    lines.compactMap { line in
      let comment = Self.comment(of: line).trimmedBlanks
      return comment.isEmpty ? nil : indent + comment
    }
  }

  /// Returns the lines with another value. One line, unless there are comments between the elements
  /// of an array: they stay with the elements that remain, and keep their position if their element
  /// is removed.
  /// - Parameter value: in TOML notation.
  func replaced(by value: String) -> [String] {
    let isCommented = lines.dropLast().contains { !Self.comment(of: $0).isEmpty }
    guard lines.count > 1, isCommented, let old = elements(of: lines.joined(separator: "\n")),
      let new = elements(of: "\(key) = \(value)")
    else {
      return ["\(indent)\(key) = \(value)\(Self.comment(of: lines.last ?? ""))"]
    }
    let inner = self.inner
    var result = ["\(indent)\(key) = [\(Self.comment(of: lines[0]))"]
    var next = 0
    for (index, line) in lines.enumerated() {
      let own = old.filter { $0.line == index + 1 }
      var kept: [String] = []
      for element in own {
        guard let match = new[next...].firstIndex(where: { $0.string == element.string }) else {
          continue
        }
        // A new element precedes the element that it was inserted before.
        if kept.isEmpty {
          result += new[next..<match].map { inner + quoted($0) + "," }
        } else {
          kept += new[next..<match].map(quoted)
        }
        kept.append(quoted(element))
        next = match + 1
      }
      let comment = index == 0 || index == lines.count - 1 ? "" : Self.comment(of: line)
      if !kept.isEmpty {
        result.append(inner + kept.joined(separator: ", ") + "," + comment)
      } else if !comment.isEmpty {
        result.append(inner + comment.trimmedBlanks)
      }
    }
    result += new[next...].map { inner + quoted($0) + "," }
    return result + ["\(indent)]\(Self.comment(of: lines.last ?? ""))"]
  }

  private var indent: String { String(lines[0].prefix { $0 == " " || $0 == "\t" }) }

  /// The indentation of elements on lines of their own.
  private var inner: String {
    let line = lines.dropFirst().dropLast().first { !$0.allSatisfy(\.isWhitespace) }
    return line.map { String($0.prefix { $0 == " " || $0 == "\t" }) } ?? indent + "  "
  }

  private func quoted(_ element: TOMLValue) -> String { TOMLValue.quoted(element.string ?? "") }

  /// Returns the elements of an array of texts; `nil` for anything else.
  private func elements(of text: String) -> [TOMLValue]? {
    guard let value = TOMLDocument.parseCollectingErrors(text).document.root[key],
      value.strings != nil
    else { return nil }
    return value.array
  }

  /// Returns the comment at the end of a line, with the blanks before it.
  private static func comment(of line: String) -> String {
    var quote: Character?
    var isEscaped = false
    for index in line.indices {
      let character = line[index]
      if let open = quote {
        if isEscaped {
          isEscaped = false
        } else if character == "\\", open == "\"" {
          isEscaped = true
        } else if character == open {
          quote = nil
        }
      } else if character == "\"" || character == "'" {
        quote = character
      } else if character == "#" {
        let before = line[..<index].reversed().prefix { $0 == " " || $0 == "\t" }
        return String(before.reversed()) + line[index...]
      }
    }
    return ""
  }
}

extension String {
  fileprivate var trimmedBlanks: String { String(drop { $0 == " " || $0 == "\t" }) }
}
