import FoundationEssentials
import XMPP

/// Stores the cards of contacts, and the account's own.
package protocol CardStoring: Sendable {
  /// Returns the card of `jid`; `nil` if it was never read.
  func card(of jid: JID) async throws -> StoredCard?
  func save(_ card: StoredCard, of jid: JID) async throws
  /// Stores a card that was asked for while `known` was stored (`nil`: none), unless another one
  /// was stored since.
  func save(_ card: StoredCard, of jid: JID, replacing known: StoredCard?) async throws
}

/// Edits the account's own card, one field at a time.
package protocol OwnProfileEditing: Sendable {
  /// Returns the locally known profile.
  func profile() async throws -> OwnProfile
  /// Reads the profile from the server.
  /// - Throws: `NatterError` if offline, or if the server refuses.
  func refreshed() async throws -> OwnProfile
  /// Changes a field on the server at once, or as soon as there is a connection.
  /// - Parameter text: empty to remove the field.
  /// - Returns: `true` if the server accepted it; otherwise it is pending.
  /// - Throws: `NatterError` if the server refuses; then the field has its old text.
  func change(_ field: PersonCard.Field, to text: String) async throws -> Bool
  /// - Returns: `true` if the server accepted it; otherwise it is pending.
  /// - Throws: `NatterError` if the server offers no choice; then nothing changes.
  func setVisibility(_ visibility: OwnProfile.Visibility) async throws -> Bool
  /// Publishes another avatar for the contacts, or removes it.
  /// - Returns: `true` if the server accepted it; otherwise it is pending.
  /// - Throws: `NatterError` if the server refuses; then the avatar is the old one.
  func setPicture(_ picture: OwnPicture?) async throws -> Bool
}

/// Provides the data about contacts, stored or queried.
package protocol ContactDescribing: Sendable {
  /// Returns the stored data, without a query.
  func details(of jid: JID) async throws -> ContactDetails
  /// Queries the contact's server and clients; data that they do not disclose remains unknown.
  /// - Throws: `NatterError` if offline.
  func refreshedDetails(of jid: JID) async throws -> ContactDetails
  /// Returns the avatar of a room (XEP-0486) with the SHA-1 `id`: from the cache, or else from the
  /// room.
  /// - Returns: `nil` if the room does not provide it.
  /// - Throws: `NatterError` if it is not cached, and there is no connection.
  func picture(_ id: String, of room: JID) async throws -> AvatarPicture?
}

/// Provides the online resources of a contact.
package protocol ResourceReading: Sendable {
  /// Returns the resources, best first (RFC 6121 §8.5.2).
  func resources(of jid: JID) async -> [ResourcePresence]
}

/// Caches fetched avatars, as files that can be deleted at any time.
package protocol AvatarCaching: Sendable {
  /// Returns the cached avatar with this SHA-1.
  func avatar(_ id: String) async -> AvatarPicture?
  /// Caches an avatar; returns `nil` if its SHA-1 differs, it cannot be displayed, or it cannot be
  /// written.
  /// - Parameter id: the announced SHA-1; `nil`: none was announced.
  func keepAvatar(base64: String, id: String?) async -> AvatarPicture?
}
