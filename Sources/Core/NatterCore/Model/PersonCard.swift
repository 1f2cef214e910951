import FoundationEssentials

/// A user's card (XEP-0292, XEP-0054): one text per field, empty if absent. All texts are
/// untrusted.
package struct PersonCard: Hashable, Sendable {
  /// The fields that Natter shows and edits.
  package enum Field: String, Hashable, Sendable, Codable, CaseIterable {
    case nickname, fullName, birthday, organisation, email, phone, web, note
    case street, postcode, city, region, country

    /// The maximum length of its text, in graphemes.
    package var limit: Int { self == .note ? 1000 : 200 }
  }

  /// The fields with a text.
  package private(set) var texts: [Field: String] = [:]

  package init(_ texts: [Field: String] = [:]) { for (field, text) in texts { self[field] = text } }

  package var isEmpty: Bool { texts.isEmpty }

  /// The text of a field, limited to its maximum length; a blank text removes the field.
  package subscript(field: Field) -> String {
    get { texts[field] ?? "" }
    set {
      let text = String(newValue.prefix(field.limit))
      texts[field] = text.allSatisfy(\.isWhitespace) ? nil : text
    }
  }
}

/// A card as stored in the database.
package struct StoredCard: Hashable, Sendable {
  package var card: PersonCard
  /// The time when it was read from its owner's server.
  package var readAt: Date

  package init(card: PersonCard, readAt: Date) {
    self.card = card
    self.readAt = readAt
  }
}

/// The user's own avatar, as it is published (XEP-0084).
package struct OwnPicture: Hashable, Sendable, Codable {
  /// The SHA-1 of its bytes, in hexadecimal.
  package let id: String
  /// Its bytes.
  package let base64: String
  package let mediaType: String
  package let byteCount: Int
  /// In pixels; `nil` if not known.
  package let width: Int?
  package let height: Int?

  package init(
    id: String, base64: String, mediaType: String, byteCount: Int, width: Int?, height: Int?
  ) {
    self.id = id
    self.base64 = base64
    self.mediaType = mediaType
    self.byteCount = byteCount
    self.width = width
    self.height = height
  }
}

/// The account's own card: the server's, with the pending changes applied.
package struct OwnProfile: Hashable, Sendable {
  /// The access to the card.
  package enum Visibility: String, Hashable, Sendable, Codable, CaseIterable {
    case everybody, contacts
    /// The account itself only. The database has the raw value.
    case owner = "nobody"
  }

  package var card: PersonCard
  /// The fields with changes that the server has not accepted yet.
  package var waiting: Set<PersonCard.Field>
  /// `nil` if the server was not queried yet, or offers no choice.
  package var visibility: Visibility?
  /// Indicates whether the server has not accepted that choice yet.
  package var visibilityWaits = false
  /// The change of the avatar that the server has not accepted yet; `nil`: none.
  package var waitingPicture: PictureChange?
  /// The time when it was read from the server; `nil`: never.
  package var readAt: Date?

  package init(
    card: PersonCard = PersonCard(), waiting: Set<PersonCard.Field> = [],
    visibility: Visibility? = nil, readAt: Date? = nil
  ) {
    self.card = card
    self.waiting = waiting
    self.visibility = visibility
    self.readAt = readAt
  }
}
