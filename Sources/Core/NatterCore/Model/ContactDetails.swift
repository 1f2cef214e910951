import FoundationEssentials
import XMPP

/// The presence of one resource of a contact (RFC 6121 §4).
package struct ResourcePresence: Hashable, Sendable {
  package let resource: String
  package var priority: Int
  package var availability: Availability
  package var status: String?
  /// The time since when it has been idle (XEP-0319); `nil`: not published.
  package var idleSince: Date?

  package init(
    resource: String, priority: Int = 0, availability: Availability = .online,
    status: String? = nil, idleSince: Date? = nil
  ) {
    self.resource = resource
    self.priority = priority
    self.availability = availability
    self.status = status
    self.idleSince = idleSince
  }
}

/// A client of a contact. All texts are untrusted.
package struct ContactClient: Hashable, Sendable {
  /// The presence of its resource.
  package let presence: ResourcePresence
  /// The name that it reports (XEP-0092, XEP-0030); `nil`: none.
  package var name: String?
  package var version: String?
  package var system: String?
  /// The features that it supports (XEP-0030).
  package var features: Set<String> = []
  /// Indicates whether it was not queried yet since it signed in.
  package var needsAsking = false
  /// Indicates whether it is this program.
  package var isThisProgram = false

  package init(presence: ResourcePresence) { self.presence = presence }
}

/// The avatar that a contact published (XEP-0084), checked against the announced hash.
package struct AvatarPicture: Hashable, Sendable {
  /// The SHA-1 of its bytes, in hexadecimal.
  package let id: String
  /// The path of its file in the cache.
  package let path: String
  /// The type by its first bytes.
  package let mediaType: String
  package let byteCount: Int

  package init(id: String, path: String, mediaType: String, byteCount: Int) {
    self.id = id
    self.path = path
    self.mediaType = mediaType
    self.byteCount = byteCount
  }
}

/// The data about a contact in addition to the roster entry.
package struct ContactDetails: Hashable, Sendable {
  /// `nil`: the card was never read.
  package var card: StoredCard?
  package var avatar: AvatarPicture?
  package var clients: [ContactClient] = []
  /// The time of the last sign-out (XEP-0012 §4); `nil` if the contact is online, or it is unknown.
  package var lastSeen: Date?
  /// The status text of the last unavailable presence.
  package var lastStatus: String?
  package var isBlocked = false
  /// Indicates whether the server has not accepted that yet.
  package var blockWaits = false

  package init() {}
}
