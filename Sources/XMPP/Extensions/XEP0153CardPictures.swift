/// Pictures in cards of old, as presences tell of them (XEP-0153). Rooms tell of theirs in the same way (XEP-0486).
package enum XEP0153 {
  private static let namespace = "vcard-temp:x:update"

  /// What a presence says of the picture in its sender's card.
  package enum Word: Hashable, Sendable {
    case none
    /// With the SHA-1 of its bytes, in hexadecimal.
    case picture(String)
  }

  /// - Returns: `nil` where it says nothing of it (§3.1): then what was known stays.
  package static func word(in presence: PresenceStanza) -> Word? {
    guard let photo = presence.element.first("x", namespace)?.first("photo", namespace) else {
      return nil
    }
    let text = photo.text.withoutBlanksAround
    return text.isEmpty ? Word.none : hash(text).map { .picture($0) }
  }

  /// `text` as a SHA-1 in small letters; `nil` where it is none.
  static func hash(_ text: String) -> String? {
    let text = text.withoutBlanksAround.lowercased()
    return text.utf8.count == 40 && text.allSatisfy(\.isHexDigit) ? text : nil
  }
}
