/// A text in the form in which keywords are compared, that of `SearchForm`. A match consists of
/// whole characters of the text.
struct FoldedText {
  /// The form of the text.
  private(set) var scalars: [UInt32] = []
  private let text: String
  /// The indices of the characters, and the end.
  private var positions: [String.Index] = []
  /// The offset of each character in `scalars`, and the end: a character can become several
  /// scalars, or none.
  private var starts: [Int] = []

  init(_ text: String) {
    self.text = text
    // Without control characters each byte is a character: only a CR LF consists of two.
    if text.utf8.allSatisfy({ 0x20..<0x7F ~= $0 }) {
      scalars = text.utf8.map { UInt32(Self.lowercased($0)) }
      positions = Array(text.utf8.indices)
      starts = Array(0...scalars.count)
    } else {
      var forms = CharacterForms()
      var index = text.startIndex
      while index < text.endIndex {
        positions.append(index)
        starts.append(scalars.count)
        let end = text.index(after: index)
        forms.append(index..<end, of: text, to: &scalars)
        index = end
      }
      starts.append(scalars.count)
    }
    positions.append(text.endIndex)
  }

  /// The number of characters.
  var count: Int { positions.count - 1 }

  /// Returns the offset in `scalars` where a character begins; `nil` for one without a form.
  func start(of character: Int) -> Int? {
    starts[character] < starts[character + 1] ? starts[character] : nil
  }

  /// Returns the number of characters before an offset in `scalars`; `nil` within a character.
  func character(at offset: Int) -> Int? {
    var (low, high) = (0, starts.count)
    while low < high {
      let middle = (low + high) / 2
      if starts[middle] < offset { low = middle + 1 } else { high = middle }
    }
    return low < starts.count && starts[low] == offset ? low : nil
  }

  func range(_ characters: Range<Int>) -> Range<String.Index> {
    positions[characters.lowerBound]..<positions[characters.upperBound]
  }

  /// Returns whether a word beside this character is only a part of a longer word. Scripts without
  /// spaces do not continue a word of another script.
  func continuesWord(_ character: Int) -> Bool {
    guard 0..<count ~= character else { return false }
    let letter = text[positions[character]]
    if let scalar = letter.unicodeScalars.first, Self.isUnspaced(scalar.value) { return false }
    return letter.isLetter || letter.isNumber || letter == "_"
  }

  fileprivate static func lowercased(_ byte: UInt8) -> UInt8 {
    0x41...0x5A ~= byte ? byte | 0x20 : byte
  }

  /// Returns whether a character is of a script that is written without spaces, or that attaches
  /// particles to nouns, as Korean does: the end of a word cannot be seen there.
  static func isUnspaced(_ scalar: UInt32) -> Bool {
    switch scalar {
    case 0x0E00...0x0EFF,  // Thai, Lao.
      0x1000...0x109F, 0x1780...0x17FF,  // Burmese, Khmer.
      0x1100...0x11FF, 0x3130...0x318F, 0xA960...0xA97F, 0xAC00...0xD7FF,  // Korean.
      0x2E80...0x2FDF, 0x3005...0x3007, 0x3040...0x312F, 0x31A0...0x31BF,
      0x31F0...0x31FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xF900...0xFAFF, 0xFF66...0xFFDC,
      0x1AFF0...0x1B16F, 0x20000...0x3FFFD:  // Chinese, Japanese.
      true
    default: false
    }
  }
}

/// The forms of the characters of a text. Each is computed once: to normalize a character takes a
/// microsecond, and a message may have a hundred thousand, of which few are different.
private struct CharacterForms {
  /// The most forms that are kept of each kind.
  private static let limit = 4096
  private static let accents: ClosedRange<UInt32> = 0x0300...0x036F

  private var byScalar: [UInt32: [UInt32]] = [:]
  private var byText: [String: [UInt32]] = [:]

  /// Appends the form of a character.
  mutating func append(
    _ range: Range<String.Index>, of text: String, to scalars: inout [UInt32]
  ) {
    let own = text.unicodeScalars
    let base = own[range.lowerBound]
    var rest = own.index(after: range.lowerBound)
    // Accents are not in the form, and change nothing in it.
    while rest < range.upperBound, Self.accents.contains(own[rest].value) {
      own.formIndex(after: &rest)
    }
    if rest == range.upperBound { return append(base, to: &scalars) }
    if base.properties.isWhitespace { return scalars.append(0x20) }
    let character = String(text[range])
    let form = byText[character] ?? Self.form(of: character)
    if byText.count < Self.limit { byText[character] = form }
    scalars += form
  }

  private mutating func append(_ scalar: Unicode.Scalar, to scalars: inout [UInt32]) {
    if let byte = UInt8(exactly: scalar.value), byte > 0x20, byte < 0x7F {
      return scalars.append(UInt32(FoldedText.lowercased(byte)))
    }
    // Chinese characters and Korean syllables have neither case nor accents.
    if 0x4E00...0x9FFF ~= scalar.value || 0xAC00...0xD7A3 ~= scalar.value {
      return scalars.append(scalar.value)
    }
    if let form = byScalar[scalar.value] { return scalars += form }
    let form = scalar.properties.isWhitespace ? [0x20] : Self.form(of: String(scalar))
    if byScalar.count < Self.limit { byScalar[scalar.value] = form }
    scalars += form
  }

  private static func form(of text: String) -> [UInt32] {
    SearchForm.whole(text).unicodeScalars.map(\.value)
  }
}
