// Terminals that have a character for each byte, and none for most of what people write.
nonisolated extension CharacterSet {
  /// Those of which Natter writes more than ASCII: what they have beyond it is none of the bytes that steer terminals.
  package enum Latin: Sendable {
    /// ISO 8859-1.
    case first
    /// ISO 8859-15, which has the euro and all of French.
    case ninth

    /// - Parameter environment: says in which one the terminal is; `nil` where it does not.
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

    /// What stands for a scalar above ASCII; `nil` for what there is nothing for.
    func byte(of scalar: Unicode.Scalar) -> UInt8? {
      if self == .ninth, let byte = Self.own.first(where: { $0.value == scalar })?.key {
        return byte
      }
      guard (0xA0...0xFF).contains(scalar.value),
        self == .first || Self.own[UInt8(scalar.value)] == nil
      else { return nil }
      return UInt8(scalar.value)
    }

    /// The scalar of a byte.
    func scalar(of byte: UInt8) -> Unicode.Scalar {
      self == .ninth ? Self.own[byte] ?? Unicode.Scalar(byte) : Unicode.Scalar(byte)
    }

    /// Where the ninth is not the first.
    private static let own: [UInt8: Unicode.Scalar] = [
      0xA4: "€", 0xA6: "Š", 0xA8: "š", 0xB4: "Ž", 0xB8: "ž", 0xBC: "Œ", 0xBD: "œ", 0xBE: "Ÿ",
    ]
  }

  /// `text` for a terminal that is not in UTF-8, with question marks for what it has no sign for.
  /// - Parameter latin: what it has beside ASCII; `nil`: nothing.
  package static func bytes(of text: String, in latin: Latin?) -> [UInt8] {
    text.unicodeScalars.flatMap { scalar in
      latin?.byte(of: scalar).map { [$0] } ?? Array(inASCII(String(scalar)).utf8)
    }
  }

  /// What was typed on a terminal: UTF-8 as far as it is that.
  /// - Parameter latin: what the terminal sends for what is not ASCII, as far as that is known.
  package static func text(of bytes: some Collection<UInt8>, in latin: Latin?) -> String {
    guard let latin, String(validating: bytes, as: UTF8.self) == nil else {
      return String(decoding: bytes, as: UTF8.self)
    }
    return String(String.UnicodeScalarView(bytes.map(latin.scalar)))
  }

  /// The sign of ASCII that is read as the same, and as wide.
  static func standIn(for scalar: Unicode.Scalar) -> Unicode.Scalar? {
    switch scalar {
    case "\u{A0}", "\u{202F}", "\u{2009}": " "
    case "‘", "’", "‚": "'"
    case "“", "”", "„", "«", "»": "\""
    case "‐", "‑", "–", "—", "−": "-"
    default: nil
    }
  }
}
