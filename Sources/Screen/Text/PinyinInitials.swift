/// The initials of Chinese names in pinyin: "bj" is 北京.
nonisolated package enum PinyinInitials {
  private static let readings: [Character: UInt8] = {
    var readings: [Character: UInt8] = [:]
    readings.reserveCapacity(7000)
    for (letter, characters) in table {
      guard let byte = letter.asciiValue else { continue }
      for character in characters { readings[character] = byte }
    }
    return readings
  }()

  /// Returns the initials of each run of Chinese characters, with a space between runs; if a
  /// character has another reading in names, once more with that one. Empty if there is no such
  /// character.
  package static func of(_ text: some StringProtocol) -> [UInt8] {
    // Texts in other scripts skip the look-up: CJK ideographs begin with these bytes in UTF-8
    // (U+4E00 to U+9FFF).
    guard text.utf8.contains(where: { (0xE4...0xE9).contains($0) }) else { return [] }
    var (usual, other): ([UInt8], [UInt8]) = ([], [])
    var isOpen = false
    for character in text {
      guard let letter = readings[character] else {
        isOpen = false
        continue
      }
      if !isOpen, !usual.isEmpty {
        usual.append(UInt8(ascii: " "))
        other.append(UInt8(ascii: " "))
      }
      isOpen = true
      usual.append(letter)
      other.append(others[character]?.asciiValue ?? letter)
    }
    return usual == other ? usual : usual + [UInt8(ascii: " ")] + other
  }
}
