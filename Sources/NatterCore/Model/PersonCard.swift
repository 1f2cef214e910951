import FoundationEssentials

/// What somebody tells of himself in a card (XEP-0292, XEP-0054): one text a field, empty for nothing. All of it is from
/// outside.
package struct PersonCard: Hashable, Sendable {
  package enum Field: String, Hashable, Sendable, CaseIterable {
    case nickname, fullName, birthday, organisation, email, phone, web, note
    case street, postcode, city, region, country

    /// The most graphemes that a text of it has.
    package var limit: Int { self == .note ? 1000 : 200 }
  }

  /// Those that say something.
  package private(set) var texts: [Field: String] = [:]

  package init(_ texts: [Field: String] = [:]) { for (field, text) in texts { self[field] = text } }

  package var isEmpty: Bool { texts.isEmpty }

  package subscript(field: Field) -> String {
    get { texts[field] ?? "" }
    set {
      let text = String(newValue.prefix(field.limit))
      texts[field] = text.allSatisfy(\.isWhitespace) ? nil : text
    }
  }
}

/// A card as the database holds it.
package struct StoredCard: Hashable, Sendable {
  package var card: PersonCard
  /// When its person's server told it.
  package var readAt: Date

  package init(card: PersonCard, readAt: Date) {
    self.card = card
    self.readAt = readAt
  }
}

/// A picture of oneself, as it is published (XEP-0084).
package struct OwnPicture: Hashable, Sendable {
  /// The SHA-1 of its bytes, in hexadecimal.
  package let id: String
  /// Its bytes.
  package let base64: String
  package let mediaType: String
  package let byteCount: Int
  /// In pixels; `nil`: not known.
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

/// The account's own card: as the server has it, with what was changed here since.
package struct OwnProfile: Hashable, Sendable {
  /// Who may read it.
  package enum Visibility: String, Hashable, Sendable, CaseIterable {
    case everybody, contacts, nobody
  }

  package var card: PersonCard
  /// What was changed and the server has not heard of.
  package var waiting: Set<PersonCard.Field>
  /// `nil`: the server was not asked yet, or lets nobody choose.
  package var visibility: Visibility?
  /// Whether the server has not heard of that choice.
  package var visibilityWaits = false
  /// The picture that the server has not heard of; `nil`: it has heard of everything.
  package var waitingPicture: PendingProfileChanges.Picture?
  /// When the server told it; `nil`: never.
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

/// What is to be told of the own profile beside its fields, until the server has heard of it.
package struct PendingProfileChanges: Hashable, Sendable {
  package enum Picture: Hashable, Sendable {
    case show(OwnPicture)
    case hide

    package var shown: OwnPicture? { if case .show(let picture) = self { picture } else { nil } }
  }

  /// `nil`: nothing is to be told of it.
  package var picture: Picture?
  package var visibility: OwnProfile.Visibility?

  package init(picture: Picture? = nil, visibility: OwnProfile.Visibility? = nil) {
    self.picture = picture
    self.visibility = visibility
  }
}
