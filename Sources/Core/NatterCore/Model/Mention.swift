/// Finds mentions of a nick in a text (interface.md, "Messages"): as a whole word, in any case.
package enum Mention {
  /// The longest nick that is looked for, in characters. The work grows with nick and text, and
  /// both are outside data.
  static let nickLimit = 100

  /// Returns the ranges where `nick` is a whole word in `text`; none for a nick over the limit.
  package static func ranges(of nick: String, in text: String) -> [Range<String.Index>] {
    guard !nick.isEmpty, text.utf8.count >= nick.utf8.count, nick.count <= nickLimit
    else { return [] }
    // Without control characters, each byte is a character: only a CR LF consists of two.
    let isPlain = nick.utf8.allSatisfy { 0x20..<0x7F ~= $0 } && text.utf8.allSatisfy { $0 < 0x80 }
    return isPlain ? ranges(ofASCII: nick, in: text) : ranges(ofAny: nick, in: text)
  }

  /// Returns whether `text` contains `nick` as a whole word.
  package static func contains(_ nick: String, in text: String) -> Bool {
    !ranges(of: nick, in: text).isEmpty
  }

  // MARK: - ASCII

  private static func ranges(ofASCII nick: String, in text: String) -> [Range<String.Index>] {
    let name = nick.utf8.map(lowercased)
    let bytes = text.utf8.map(lowercased)
    var found: [Range<String.Index>] = []
    var position = 0
    var lastEnd = 0
    while position + name.count <= bytes.count {
      let end = position + name.count
      guard position == lastEnd || !isPartOfWord(bytes[position - 1]),
        bytes[position..<end].elementsEqual(name), end == bytes.count || !isPartOfWord(bytes[end])
      else {
        position += 1
        continue
      }
      let start = text.utf8.index(text.startIndex, offsetBy: position)
      found.append(start..<text.utf8.index(start, offsetBy: name.count))
      (position, lastEnd) = (end, end)
    }
    return found
  }

  private static func lowercased(_ byte: UInt8) -> UInt8 {
    0x41...0x5A ~= byte ? byte | 0x20 : byte
  }

  /// - Parameter byte: in lower case.
  private static func isPartOfWord(_ byte: UInt8) -> Bool {
    0x61...0x7A ~= byte || 0x30...0x39 ~= byte || byte == 0x5F
  }

  // MARK: - Any characters

  private static func ranges(ofAny nick: String, in text: String) -> [Range<String.Index>] {
    let name = Array(nick.lowercased())
    guard let first = name.first else { return [] }
    let folded = FoldedText(text)
    var found: [Range<String.Index>] = []
    var index = 0
    var lastEnd = 0
    while index < folded.count {
      // The properties of characters are looked up only where a nick may begin and end.
      guard folded.begins(with: first, at: index),
        index == lastEnd || !folded.isPartOfWord(index - 1),
        let end = folded.end(of: name, at: index),
        end == folded.count || !folded.isPartOfWord(end)
      else {
        index += 1
        continue
      }
      found.append(folded.positions[index]..<folded.positions[end])
      (index, lastEnd) = (end, end)
    }
    return found
  }

  /// The characters of a text, each converted to lower case once.
  private struct FoldedText {
    private let text: String
    /// The indices of the characters, and the end.
    let positions: [String.Index]
    private let letters: [Character]
    /// The offset of each character in `letters`, and the end: one character can become several.
    private let offsets: [Int]

    init(_ text: String) {
      self.text = text
      var letters: [Character] = []
      var offsets = [0]
      for character in text {
        if let byte = character.utf8.first, character.utf8.count == 1 {
          letters.append(Character(Unicode.Scalar(Mention.lowercased(byte))))
        } else {
          letters += character.lowercased()
        }
        offsets.append(letters.count)
      }
      (self.letters, self.offsets) = (letters, offsets)
      positions = Array(text.indices) + [text.endIndex]
    }

    var count: Int { positions.count - 1 }

    func isPartOfWord(_ index: Int) -> Bool {
      let character = text[positions[index]]
      return character.isLetter || character.isNumber || character == "_"
    }

    /// Returns whether the character `index` begins with `letter`, in lower case.
    func begins(with letter: Character, at index: Int) -> Bool {
      offsets[index] < offsets[index + 1] && letters[offsets[index]] == letter
    }

    /// Returns the end of `name` if it begins at the character `start`.
    func end(of name: [Character], at start: Int) -> Int? {
      var index = start
      var matched = 0
      while matched < name.count {
        guard index < count else { return nil }
        for letter in letters[offsets[index]..<offsets[index + 1]] {
          guard matched < name.count, letter == name[matched] else { return nil }
          matched += 1
        }
        index += 1
      }
      return index
    }
  }
}
