import Foundation

/// A source file, line by line.
struct SwiftFile {
  /// Relative to the checkout.
  let path: String
  let lines: [String]
  /// The lines without comments and without the text between double quotes.
  let code: [String]
  /// The comment of each line with its slashes; empty where there is none.
  let comments: [String]

  init(path: String, text: String) {
    self.path = path
    lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    var isInText = false
    var code: [String] = []
    var comments: [String] = []
    for line in lines {
      // The lines between three double quotes are text; the quotes are at the end and at the
      // beginning of a line.
      let quotes = line.components(separatedBy: "\"\"\"").count - 1
      if isInText {
        code.append("")
        comments.append("")
        if quotes % 2 == 1 { isInText = false }
        continue
      }
      let parts = Self.parts(of: line)
      code.append(parts.code)
      comments.append(parts.comment)
      if quotes % 2 == 1 { isInText = true }
    }
    self.code = code
    self.comments = comments
  }

  /// The modules that are imported, by line.
  var imports: [String] {
    lines(having: ["import "]).compactMap { index in
      let words = code[index].split(separator: " ").drop { $0.hasPrefix("@") }
      guard words.first == "import", let name = words.last else { return nil }
      // `import struct Module.Name` names its module, too.
      return String(name.prefix { $0 != "." })
    }
  }

  /// Where `pattern` is found in the code: `path:line: the line`.
  /// - Parameter texts: each match has one of them; a pattern is a hundred times slower than a
  ///   search for a text.
  func matches(of pattern: some RegexComponent, having texts: [String]) -> [String] {
    lines(having: texts).filter { code[$0].contains(pattern) }.map { location($0) }
  }

  /// The lines of code that have one of `texts`.
  func lines(having texts: [String]) -> [Int] {
    code.indices.filter { code[$0].has(texts) }
  }

  /// `path:line: the line`, for messages.
  func location(_ index: Int) -> String {
    "\(path):\(index + 1): \(lines[index].drop { $0 == " " })"
  }

  private static func parts(of line: String) -> (code: String, comment: String) {
    let (quote, backslash, slash) = (UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"))
    let hash = UInt8(ascii: "#")
    var code: [UInt8] = []
    var isQuoted = false
    // The hashes just before this byte, those that began a raw text, and those after a quote in it.
    var (hashes, opening, closing) = (0, 0, -1)
    var last: UInt8?
    var length = 0
    for byte in line.utf8 {
      length += 1
      if isQuoted, opening > 0 {
        if byte == quote {
          closing = 0
        } else {
          closing = byte == hash && closing >= 0 ? closing + 1 : -1
        }
        if closing == opening { isQuoted = false }
        continue
      }
      if isQuoted {
        if byte == quote, last != backslash { isQuoted = false }
        // Two backslashes are one character of the text, and escape nothing.
        last = byte == backslash && last == backslash ? nil : byte
        continue
      }
      if byte == quote { (isQuoted, opening, closing) = (true, hashes, -1) }
      hashes = byte == hash ? hashes + 1 : 0
      if byte == slash, last == slash {
        code.removeLast()
        return (
          String(decoding: code, as: UTF8.self),
          String(decoding: line.utf8.dropFirst(length - 2), as: UTF8.self)
        )
      }
      code.append(byte)
      last = byte
    }
    return (String(decoding: code, as: UTF8.self), "")
  }
}

extension String {
  /// Indicates whether one of `texts` is in this line: much faster than a pattern.
  func has(_ texts: [String]) -> Bool {
    withCString { line in texts.contains { strstr(line, $0) != nil } }
  }
}
