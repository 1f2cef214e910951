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
  func places(of pattern: some RegexComponent) -> [String] {
    zip(code.indices, code).filter { $0.1.contains(pattern) }.map { place($0.0) }
  }

  /// `path:line: the line`, for messages.
  func place(_ index: Int) -> String {
    "\(path):\(index + 1): \(lines[index].drop { $0 == " " })"
  }

  private static func code(of line: String) -> String {
    var code = ""
    var isQuoted = false
    var last: Character?
    for character in line {
      if isQuoted {
        if character == "\"", last != "\\" { isQuoted = false }
        // Two backslashes are one sign of the text, and escape nothing.
        last = character == "\\" && last == "\\" ? nil : character
        continue
      }
      if character == "\"" { isQuoted = true }
      if character == "/", last == "/" {
        code.removeLast()
        break
      }
      code.append(character)
      last = character
    }
    return code
  }
}
