import XML

/// Pictures in legacy vCards, as presences announce them (XEP-0153). Rooms announce theirs in the
/// same way (XEP-0486).
package enum XEP0153 {
  private static let namespace = "vcard-temp:x:update"

  /// A presence's statement about the picture in its sender's vCard.
  package enum Word: Hashable, Sendable {
    case none
    /// A picture, with the SHA-1 of its bytes in hexadecimal.
    case picture(String)
  }

  /// Reads the statement of a presence.
  /// - Returns: `nil` when there is none (§3.1): what was known before remains valid.
  package static func word(in presence: PresenceStanza) -> Word? {
    guard let photo = presence.element.first("x", namespace)?.first("photo", namespace) else {
      return nil
    }
    let text = photo.text.withoutBlanksAround
    return text.isEmpty ? Word.none : hash(text).map { .picture($0) }
  }

  /// Returns `text` as a SHA-1 in lower case; `nil` when it is something else.
  static func hash(_ text: String) -> String? {
    let text = text.withoutBlanksAround
    return text.utf8.count == 40 && text.allSatisfy(\.isHexDigit) ? text.lowercased() : nil
  }
}
