import NatterCore
import Text

/// Parses paths that terminals and file managers insert when files are dropped or copied, and typed
/// ones: plain, quoted as in a shell, with backslashes, or as `file:` URIs (RFC 8089); several are
/// separated by white space.
nonisolated package enum DroppedPath {
  /// Returns the single path in `text`.
  ///
  /// Spaces belong to it: users type them unescaped.
  /// - Returns: `nil` if `text` is empty, or has more than one line.
  package static func path(in text: String) -> String? {
    let line = text.trimmed
    // Empty, or quotes without content.
    guard line.contains(where: { $0 != "'" && $0 != "\"" }) else { return nil }
    let words = words(in: line)
    if words.count == 1 { return words[0] }
    guard !line.contains(where: \.isNewline) else { return nil }
    return usable(line.hasPrefix("file://") ? uri(line) : unescaped(line))
  }

  /// Returns the paths in `text`: the whole text if a file has that name, spaces included, else one
  /// path per word.
  /// - Parameter isFile: returns whether a file exists at a path as typed.
  /// - Returns: empty if `text` is empty or not a path; several only if each of them is a file.
  package static func paths(in text: String, isFile: (String) -> Bool) -> [String] {
    let line = text.trimmed
    // A name may contain quotes or backslashes: then the existing file is meant.
    if line.hasPrefix("/"), !line.contains(where: \.isNewline), isFile(line) { return [line] }
    let whole = path(in: line)
    if let whole, isFile(whole) { return [whole] }
    let words = words(in: line)
    if words.count > 1, words.allSatisfy(isFile) { return words }
    return whole.map { [$0] } ?? []
  }

  /// Returns `path` as one word on one line, in a form that `paths(in:isFile:)` can parse.
  package static func quoted(_ path: String) -> String {
    if path.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) {
      // Control characters could end the line or affect the terminal: only a URI can encode them.
      return "file://"
        + path.utf8.map { byte in
          isPlain(byte) ? String(UnicodeScalar(byte)) : "%" + hex(byte)
        }.joined()
    }
    if path.utf8.allSatisfy({ isPlain($0) || $0 >= 0x80 }), !path.contains(where: \.isWhitespace) {
      return path
    }
    return "'" + path.replacing("'", with: "'\\''") + "'"
  }

  /// Returns true for characters that need no quotes anywhere.
  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: "/._-+,=@~".utf8.contains(byte)
    }
  }

  private static func hex(_ byte: UInt8) -> String {
    let digits = String(byte, radix: 16)
    return digits.count < 2 ? "0" + digits : digits
  }

  // MARK: Splitting

  /// Splits the text at white space outside quotes, and removes the quotes.
  ///
  /// A quote counts only in a word that begins with one: in `Bob's` it is a letter.
  /// - Returns: empty if a quote is not closed, or a word cannot be a path.
  private static func words(in line: String) -> [String] {
    var words: [String] = []
    var rest = line[...]
    while true {
      rest = rest.drop(while: \.isWhitespace)
      guard let first = rest.first else { return words }
      let word: String?
      if first == "'" || first == "\"" {
        word = usable(quotedWord(from: &rest))
      } else {
        let plain = plainWord(from: &rest)
        word = usable(plain.hasPrefix("file://") ? uri(plain) : unescaped(plain))
      }
      guard let word else { return [] }
      words.append(word)
    }
  }

  /// Returns the text up to a space without a backslash before it.
  private static func plainWord(from rest: inout Substring) -> String {
    var word = ""
    var isEscaped = false
    while let character = rest.first, isEscaped || !character.isWhitespace {
      word.append(character)
      isEscaped = character == "\\" && !isEscaped
      rest.removeFirst()
    }
    return word
  }

  /// Parses as `sh` does: the quoted text, and what follows without a space (`'it'\''s'`).
  /// - Returns: `nil` if a quote is not closed.
  private static func quotedWord(from rest: inout Substring) -> String? {
    var word = ""
    var open: Character?
    while let character = rest.popFirst() {
      switch (open, character) {
      case (nil, "'"), (nil, "\""): open = character
      case (nil, "\\"), ("\"", "\\"):
        guard let next = rest.popFirst() else { return nil }
        // In double quotes a backslash is literal before most characters.
        if open != nil, !"\"\\$`".contains(next) { word.append(character) }
        word.append(next)
      case (nil, _) where character.isWhitespace: return word
      case (let quote?, _) where quote == character: open = nil
      default: word.append(character)
      }
    }
    return open == nil ? word : nil
  }

  private static func unescaped(_ text: String) -> String {
    guard text.contains("\\") else { return text }
    var path = ""
    var isEscaped = false
    for character in text {
      if character == "\\", !isEscaped {
        isEscaped = true
      } else {
        path.append(character)
        isEscaped = false
      }
    }
    return path
  }

  /// Returns the path of a `file:` URI, without the host name that some URIs contain.
  private static func uri(_ text: String) -> String? {
    let path = text.dropFirst("file://".count).drop { $0 != "/" }
    return path.isEmpty ? nil : SharedFile.decoded(path)
  }

  /// Returns a path that can be used: for the system a zero byte would end it, and name another
  /// file.
  private static func usable(_ path: String?) -> String? {
    path.flatMap { $0.isEmpty || $0.utf8.contains(0) ? nil : $0 }
  }
}
