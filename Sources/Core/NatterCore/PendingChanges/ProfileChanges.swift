/// A pending change of one field of the own card.
package struct CardChange: PendingChange {
  package static let kind = PendingChangeKind.card

  package let field: PersonCard.Field
  /// Empty to remove the field.
  package let text: String

  package init(_ field: PersonCard.Field, _ text: String) {
    (self.field, self.text) = (field, text)
  }

  package var subject: [String] { [field.rawValue] }
}

/// A pending change of the audience of the own card.
package struct VisibilityChange: PendingChange {
  package static let kind = PendingChangeKind.visibility

  package let visibility: OwnProfile.Visibility

  package init(_ visibility: OwnProfile.Visibility) { self.visibility = visibility }

  package var subject: [String] { [] }
}

/// A pending change of the own avatar: publish a new one, or remove it.
package struct PictureChange: PendingChange {
  package static let kind = PendingChangeKind.picture
  package static let hide = PictureChange(nil)
  package static func show(_ picture: OwnPicture) -> PictureChange { PictureChange(picture) }

  /// The new avatar; `nil` removes the present one.
  package let picture: OwnPicture?

  package init(_ picture: OwnPicture?) { self.picture = picture }

  package var subject: [String] { [] }
}
