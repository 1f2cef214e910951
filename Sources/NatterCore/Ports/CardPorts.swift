import FoundationEssentials
import XMPP

/// People's cards as the database holds them, and the changes of the own one that the server has not heard of.
package protocol CardStoring: Sendable {
  /// `nil` when his was never read.
  func card(of jid: JID) async throws -> StoredCard?
  func save(_ card: StoredCard, of jid: JID) async throws
  func cardChanges() async throws -> [PersonCard.Field: String]
  /// - Parameter text: what the field is to say; `nil`: there is nothing to be told any more.
  func keepCardChange(_ text: String?, of field: PersonCard.Field) async throws
  /// What else of the own profile the server has not heard of.
  func profileWishes() async throws -> PendingProfileChanges
  func keep(_ wishes: PendingProfileChanges) async throws
}

/// The account's own card, one field at a time.
package protocol OwnProfileEditing: Sendable {
  /// As it is known here.
  func profile() async throws -> OwnProfile
  /// As the server has it now.
  /// - Throws: `NatterError` when offline, or when the server does not tell.
  func refreshed() async throws -> OwnProfile
  /// Changes a field at the server at once, or as soon as there is a connection.
  /// - Parameter text: empty: nothing.
  /// - Returns: whether the server has it.
  /// - Throws: `NatterError` when it refuses; the field is as it was then.
  func change(_ field: PersonCard.Field, to text: String) async throws -> Bool
  /// - Returns: whether the server has it.
  /// - Throws: `NatterError` when the server does not let one choose; it is as it was then.
  func setVisibility(_ visibility: OwnProfile.Visibility) async throws -> Bool
  /// Shows contacts another picture of oneself, or none.
  /// - Returns: whether the server has it.
  /// - Throws: `NatterError` when the server refuses; the picture is as it was then.
  func setPicture(_ picture: OwnPicture?) async throws -> Bool
}

/// What is known of contacts, and what they tell when they are asked.
package protocol ContactDescribing: Sendable {
  /// As it is known here, at once.
  func details(of jid: JID) async throws -> ContactDetails
  /// Asks his server and his clients; who keeps something to himself is known no better then.
  /// - Throws: `NatterError` when offline.
  func refreshedDetails(of jid: JID) async throws -> ContactDetails
  /// The picture of a room (XEP-0486) with that SHA-1: from this disk, or else from the room.
  /// - Returns: `nil` when the room does not give it.
  /// - Throws: `NatterError` when it is not here, and there is no connection.
  func picture(_ id: String, of room: JID) async throws -> AvatarPicture?
}

/// Where somebody is signed in now.
package protocol ResourceReading: Sendable {
  /// The best first (RFC 6121 §8.5.2).
  func resources(of jid: JID) async -> [ResourcePresence]
}

/// Pictures that were fetched, as files that can be deleted at any time.
package protocol AvatarCaching: Sendable {
  /// The picture with that SHA-1, where it is kept.
  func avatar(_ id: String) async -> AvatarPicture?
  /// Keeps a picture; `nil` when it is not the one with that SHA-1, is none that can be shown, or cannot be kept.
  /// - Parameter id: the SHA-1 that was announced; `nil`: none was.
  func keepAvatar(base64: String, id: String?) async -> AvatarPicture?
}
