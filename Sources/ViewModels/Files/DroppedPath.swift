import NatterCore

/// Paths as terminals and file managers hand them over when files are dropped or copied, and as people type them: plain, quoted as a
/// shell would have it, with backslashes, or as `file:` URIs (RFC 8089); several with blanks or line ends between them.
nonisolated package enum DroppedPath {
  /// The one path that `text` is.
  ///
  /// Blanks in it belong to it: people type them as they are.
  /// - Returns: `nil` when `text` is empty, or more than one line.
  package static func path(in text: String) -> String? {
    let line = text.trimmed
    // Nothing, or quotes with nothing in them.
    guard line.contains(where: { $0 != "'" && $0 != "\"" }) else { return nil }
    let words = words(in: line)
    if words.count == 1 { return words[0] }
    guard !line.contains(where: \.isNewline) else { return nil }
    return usable(line.hasPrefix("file://") ? uri(line) : unescaped(line))
  }

  /// The paths that `text` is: one where there is a file of that name, blanks and all, else as many as it has words.
  /// - Parameter isFile: whether there is a file, by a path as it was typed.
  /// - Returns: empty when `text` is empty or no path; several only where each of them is a file.
  package static func paths(in text: String, isFile: (String) -> Bool) -> [String] {
    let line = text.trimmed
    // A name may look quoted, or have a backslash in it: then what is there is meant.
    if line.hasPrefix("/"), !line.contains(where: \.isNewline), isFile(line) { return [line] }
    let whole = path(in: line)
    if let whole, isFile(whole) { return [whole] }
    let words = words(in: line)
    if words.count > 1, words.allSatisfy(isFile) { return words }
    return whole.map { [$0] } ?? []
  }

  /// `path` so that it is one word, on one line, and `paths(in:isFile:)` finds it again.
  package static func quoted(_ path: String) -> String {
    if path.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) {
      // What would end the line or could do something to it: only a URI has letters for that.
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

  /// What needs no quotes anywhere.
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

  // MARK: Words

  /// What stands between blanks and line ends outside of quotes, without its quotes.
  ///
  /// A quote counts only in a word that begins with one: in `Bob's` it is a letter.
  /// - Returns: empty when a quote is not closed, or a word is nothing that could be a path.
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

  /// Up to a blank that no backslash stands before.
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

  /// As `sh` reads it: what is in quotes, and what follows without a blank (`'it'\''s'`).
  /// - Returns: `nil` when a quote is not closed.
  private static func quotedWord(from rest: inout Substring) -> String? {
    var word = ""
    var open: Character?
    while let character = rest.popFirst() {
      switch (open, character) {
      case (nil, "'"), (nil, "\""): open = character
      case (nil, "\\"), ("\"", "\\"):
        guard let next = rest.popFirst() else { return nil }
        // In these quotes it stands for itself before most signs.
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

  /// The path of a `file:` URI; the machine's name, which some put in, is left out.
  private static func uri(_ text: String) -> String? {
    let path = text.dropFirst("file://".count).drop { $0 != "/" }
    return path.isEmpty ? nil : SharedFile.decoded(path)
  }

  /// A path with a zero byte would end there for the system, and name another file.
  private static func usable(_ path: String?) -> String? {
    path.flatMap { $0.isEmpty || $0.utf8.contains(0) ? nil : $0 }
  }
}
