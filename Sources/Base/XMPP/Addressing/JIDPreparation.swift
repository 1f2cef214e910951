import BoundedText

/// Converts the parts of an address to the canonical form in which they are compared
/// (RFC 7622 §3.2-3.4), as far as it matters in practice: case, composition, width and forbidden
/// characters.
enum JIDPreparation {
  /// The most bytes of a part, before and after preparation.
  static let longest = 1023
  /// The most bytes of an address: three parts, `@` and `/` (RFC 7622 §3.1).
  static let longestAddress = 3 * longest + 2

  static func local(_ text: Substring) throws(JIDError) -> String {
    guard !text.isEmpty else { throw .emptyLocal }
    guard text.utf8.count <= longest else { throw .tooLong }
    if let plain = plain(text, isAllowed: isAllowedInLocal) {
      guard plain.utf8.count <= longest else { throw .tooLong }
      return plain
    }
    let folded = folded(text)
    for scalar in folded.unicodeScalars {
      guard !isForbidden(scalar), !isUnseen(scalar), !scalar.properties.isWhitespace,
        scalar.value >= 0x80 || isAllowedInLocal(UInt8(scalar.value))
      else { throw .forbiddenInLocal }
    }
    guard !folded.isEmpty else { throw .emptyLocal }
    guard folded.utf8.count <= longest else { throw .tooLong }
    return folded
  }

  static func domain(_ text: Substring) throws(JIDError) -> String {
    guard text.utf8.count <= longest + 1 else { throw .tooLong }
    // A final dot only marks the name as complete (RFC 7622 §3.2).
    let dot = UInt8(ascii: ".")
    let text = text.utf8.last == dot ? text[..<text.utf8.index(before: text.endIndex)] : text
    guard !text.isEmpty else { throw .emptyDomain }
    var prepared: String
    if let plain = plain(text, isAllowed: isAllowedInDomain) {
      prepared = plain
    } else {
      // The ideographic full stops separate labels too (RFC 3490 §3.1).
      var dotted = String.UnicodeScalarView()
      for scalar in text.unicodeScalars {
        switch scalar.value {
        case 0x3002, 0xFF0E, 0xFF61: dotted.append(".")
        default: dotted.append(scalar)
        }
      }
      prepared = folded(String(dotted)[...])
      for scalar in prepared.unicodeScalars {
        guard !isForbidden(scalar), !scalar.properties.isWhitespace,
          scalar.value >= 0x80 || isAllowedInDomain(UInt8(scalar.value))
        else { throw .forbiddenInDomain }
      }
    }
    guard prepared.utf8.count <= longest else { throw .tooLong }
    if !prepared.utf8.allSatisfy({ $0 < 0x80 }) || prepared.contains(DomainLabels.prefix) {
      prepared = try DomainLabels.canonical(prepared)
      guard prepared.utf8.count <= longest else { throw .tooLong }
    }
    let isLiteral = prepared.first == "["
    if isLiteral {
      guard prepared.last == "]", prepared.utf8.count > 2 else { throw .forbiddenInDomain }
    } else {
      let bytes = prepared.utf8
      guard !bytes.contains(where: { "[]:".utf8.contains($0) }) else { throw .forbiddenInDomain }
      // No label may be empty.
      guard bytes.first != dot, bytes.last != dot,
        !zip(bytes, bytes.dropFirst()).contains(where: { $0 == dot && $1 == dot })
      else { throw .forbiddenInDomain }
    }
    return prepared
  }

  static func resource(_ text: Substring) throws(JIDError) -> String {
    guard !text.isEmpty else { throw .emptyResource }
    guard text.utf8.count <= longest else { throw .tooLong }
    var isASCII = true
    for byte in text.utf8 {
      guard byte >= 0x20 && byte != 0x7F else { throw .forbiddenInResource }
      if byte >= 0x80 { isASCII = false }
    }
    let prepared: String
    if isASCII {
      prepared = String(text)
    } else {
      // OpaqueString (RFC 8265 §4.2): all spaces become U+0020, case is preserved.
      var mapped = String.UnicodeScalarView()
      for scalar in text.unicodeScalars {
        guard !isForbidden(scalar) else { throw .forbiddenInResource }
        mapped.append(scalar.properties.generalCategory == .spaceSeparator ? " " : scalar)
      }
      prepared = NormalForm.canonical(mapped)
    }
    guard prepared.utf8.count <= longest else { throw .tooLong }
    return prepared
  }

  /// Returns text that the user typed or pasted, reduced to the usual form of an address.
  static func cleaned(_ text: String) -> String {
    var scalars = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      switch scalar.value {
      // Zero-width characters and direction marks come with text copied from web pages.
      case 0x200B, 0x200E, 0x200F, 0x202A...0x202E, 0x2060, 0x2066...0x2069, 0xFEFF: continue
      case 0xFF20, 0xFE6B: scalars.append("@")
      default: scalars.append(scalar)
      }
    }
    // The removed characters may have separated clusters, so bound them again.
    var address = trimmed(String(scalars).bounded)
    if address.lowercased().hasPrefix("xmpp:") {
      // A link (RFC 5122): the address is percent-encoded, and may be between an authority and a
      // query.
      address = String(address.dropFirst(5))
      if address.hasPrefix("//") {
        address = String(address.dropFirst(2))
        if let slash = address.firstIndex(of: "/") {
          address = String(address[address.index(after: slash)...])
        }
      }
      if let end = address.firstIndex(where: { $0 == "?" || $0 == "#" }) {
        address = String(address[..<end])
      }
      address = percentDecoded(address) ?? address
    }
    return trimmed(address)
  }

  private static func trimmed(_ text: String) -> String {
    guard let first = text.firstIndex(where: { !$0.isWhitespace }),
      let last = text.lastIndex(where: { !$0.isWhitespace })
    else { return "" }
    return String(text[first...last])
  }

  /// Decodes percent-encoded text; `nil` when a percent sign is not followed by two hexadecimal
  /// digits, or the result is not UTF-8.
  private static func percentDecoded(_ text: String) -> String? {
    var bytes: [UInt8] = []
    var rest = text.utf8[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard let high = rest.popFirst().flatMap({ Character(.init($0)).hexDigitValue }),
        let low = rest.popFirst().flatMap({ Character(.init($0)).hexDigitValue })
      else { return nil }
      bytes.append(UInt8(high * 16 + low))
    }
    return String(validating: bytes, as: UTF8.self)
  }

  /// Returns `text` in lower case if it is only allowed ASCII; `nil` when full preparation is
  /// needed.
  private static func plain(_ text: Substring, isAllowed: (UInt8) -> Bool) -> String? {
    var hasCapitals = false
    for byte in text.utf8 {
      guard byte < 0x80, isAllowed(byte) else { return nil }
      if byte >= 0x41 && byte <= 0x5A { hasCapitals = true }
    }
    return hasCapitals ? text.lowercased() : String(text)
  }

  /// Returns `text` with canonical width, case and composition (RFC 8265 §3.3).
  static func folded(_ text: Substring) -> String {
    var narrowed = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      // Full-width and half-width forms are compatibility characters of the ordinary forms.
      if (0xFF01...0xFFEE).contains(scalar.value) {
        narrowed.append(contentsOf: NormalForm.compatibleScalars(of: scalar))
      } else {
        narrowed.append(scalar)
      }
    }
    return NormalForm.canonical(String(narrowed).lowercased().unicodeScalars)
  }

  /// Returns whether preparation leaves the byte unchanged in every part of an address and it is no
  /// separator between the parts.
  static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
      UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
      true
    default: false
    }
  }

  /// Returns whether plain bytes are a domain in its final form: no label is empty, and none may be
  /// an A-label (`xn--`).
  static func isPlainDomain(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
    let dot = UInt8(ascii: ".")
    var previous = dot
    for byte in bytes {
      guard isPlain(byte), byte != dot || previous != dot,
        byte != UInt8(ascii: "-") || previous != byte
      else { return false }
      previous = byte
    }
    return previous != dot
  }

  private static func isAllowedInLocal(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x00...0x20, 0x7F: false
    case UInt8(ascii: "\""), UInt8(ascii: "&"), UInt8(ascii: "'"), UInt8(ascii: "/"),
      UInt8(ascii: ":"), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "@"):
      false
    default: true
    }
  }

  private static func isAllowedInDomain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"),
      UInt8(ascii: "_"), UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: ":"):
      true
    default: false
    }
  }

  /// Returns whether the character is a letter or mark without a visible shape, such as the Hangul
  /// fillers, with which an address looks like another one. PRECIS forbids them (RFC 8264 §9.13),
  /// older servers accept them.
  private static func isUnseen(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.isDefaultIgnorableCodePoint && scalar.properties.generalCategory != .format
  }

  /// Returns whether no part of an address may contain the character: controls, invisible format
  /// characters that make a name look like another one, and code points that are not characters.
  private static func isForbidden(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: true
    // Some languages need the joiners.
    case .format: scalar.value != 0x200C && scalar.value != 0x200D
    default: false
    }
  }
}
