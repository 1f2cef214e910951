// Terminals with a single-byte character set, which lacks most of Unicode.
nonisolated extension CharacterSet {
  /// The character sets in which Natter writes more than ASCII: their upper half contains no
  /// control functions.
  package enum Latin: Sendable {
    /// ISO 8859-1.
    case first
    /// ISO 8859-15, which has the euro and all of French.
    case ninth

    /// - Parameter environment: contains the terminal's character set; `nil` if it is neither of
    ///   these.
    package init?(environment: [String: String]) {
      let name = CharacterSet.name(in: environment).lowercased()
      let parts = name.split(separator: "@", maxSplits: 1)
      let set = parts.first?.split(separator: ".", maxSplits: 1).dropFirst().first ?? ""
      switch set.filter({ $0 != "-" && $0 != "_" }) {
      case "iso88591", "latin1": self = .first
      case "iso885915", "latin9": self = .ninth
      case "" where parts.last == "euro" && parts.count == 2: self = .ninth
      default: return nil
      }
    }

    /// Returns the byte of a scalar above ASCII; `nil` if the set does not have it.
    func byte(of scalar: Unicode.Scalar) -> UInt8? {
      if self == .ninth, let byte = Self.own.first(where: { $0.value == scalar })?.key {
        return byte
      }
      guard (0xA0...0xFF).contains(scalar.value),
        self == .first || Self.own[UInt8(scalar.value)] == nil
      else { return nil }
      return UInt8(scalar.value)
    }

    /// Returns the scalar of a byte.
    func scalar(of byte: UInt8) -> Unicode.Scalar {
      self == .ninth ? Self.own[byte] ?? Unicode.Scalar(byte) : Unicode.Scalar(byte)
    }

    /// The differences of the ninth part from the first.
    private static let own: [UInt8: Unicode.Scalar] = [
      0xA4: "€", 0xA6: "Š", 0xA8: "š", 0xB4: "Ž", 0xB8: "ž", 0xBC: "Œ", 0xBD: "œ", 0xBE: "Ÿ",
    ]
  }

  /// Returns `text` for a terminal that is not in UTF-8, with question marks for characters that it
  /// does not have.
  /// - Parameter latin: the terminal's characters besides ASCII; `nil`: none.
  package static func bytes(of text: String, in latin: Latin?) -> [UInt8] {
    text.unicodeScalars.flatMap { scalar in
      latin?.byte(of: scalar).map { [$0] } ?? Array(inASCII(String(scalar)).utf8)
    }
  }

  /// Returns the text typed on a terminal: as UTF-8 if it is valid.
  /// - Parameter latin: the terminal's character set for other input, if it is known.
  package static func text(of bytes: some Collection<UInt8>, in latin: Latin?) -> String {
    guard let latin, String(validating: bytes, as: UTF8.self) == nil else {
      return String(decoding: bytes, as: UTF8.self)
    }
    return String(String.UnicodeScalarView(bytes.map(latin.scalar)))
  }

  /// Returns the ASCII character with the same meaning and width; `nil` if there is none.
  static func substitute(for scalar: Unicode.Scalar) -> Unicode.Scalar? {
    switch scalar {
    case "\u{A0}", "\u{202F}", "\u{2009}": " "
    case "‘", "’", "‚": "'"
    case "“", "”", "„", "«", "»": "\""
    case "‐", "‑", "–", "—", "−": "-"
    default: nil
    }
  }
}
