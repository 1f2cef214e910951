import Foundation

/// A source file, line by line.
struct SwiftFile {
  /// Relative to the checkout.
  let path: String
  let lines: [String]
  /// The lines without comments and without what stands between double quotes.
  let code: [String]

  init(path: String, text: String) {
    self.path = path
    lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    var isInText = false
    var code: [String] = []
    for line in lines {
      // The lines between three double quotes are text; the quotes stand at the end and at the beginning of a line.
      let quotes = line.components(separatedBy: "\"\"\"").count - 1
      if isInText {
        code.append("")
        if quotes % 2 == 1 { isInText = false }
        continue
      }
      code.append(Self.code(of: line))
      if quotes % 2 == 1 { isInText = true }
    }
    self.code = code
  }

  /// The modules that are imported, by line.
  var imports: [String] {
    code.compactMap { line in
      let words = line.split(separator: " ").drop { $0.hasPrefix("@") }
      guard words.first == "import", let name = words.last else { return nil }
      // `import struct Module.Name` names its module, too.
      return String(name.prefix { $0 != "." })
    }
  }

  /// Where `pattern` is found in the code: `path:line: the line`.
  /// - Parameter words: each place has one of them; a pattern is a hundred times slower than looking for a word.
  func places(of pattern: some RegexComponent, having words: [String]) -> [String] {
    lines(having: words).filter { code[$0].contains(pattern) }.map { place($0) }
  }

  /// The lines of code that have one of `words`.
  func lines(having words: [String]) -> [Int] {
    code.indices.filter { index in
      code[index].withCString { line in words.contains { strstr(line, $0) != nil } }
    }
  }

  /// `path:line: the line`, for messages.
  func place(_ index: Int) -> String {
    "\(path):\(index + 1): \(lines[index].drop { $0 == " " })"
  }

  private static func code(of line: String) -> String {
    let (quote, backslash, slash) = (UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"))
    var code: [UInt8] = []
    var isQuoted = false
    var last: UInt8?
    for byte in line.utf8 {
      if isQuoted {
        if byte == quote, last != backslash { isQuoted = false }
        // Two backslashes are one sign of the text, and escape nothing.
        last = byte == backslash && last == backslash ? nil : byte
        continue
      }
      if byte == quote { isQuoted = true }
      if byte == slash, last == slash {
        code.removeLast()
        break
      }
      code.append(byte)
      last = byte
    }
    return String(decoding: code, as: UTF8.self)
  }
}
