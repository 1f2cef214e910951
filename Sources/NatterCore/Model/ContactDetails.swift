import FoundationEssentials
import XMPP

/// One place where somebody is signed in (RFC 6121 §4).
package struct ResourcePresence: Hashable, Sendable {
  package let resource: String
  package var priority: Int
  package var availability: Availability
  package var status: String?
  /// Since when nobody has touched it (XEP-0319); `nil`: it does not tell.
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

/// A program that somebody is signed in with. All of it is from outside.
package struct ContactClient: Hashable, Sendable {
  /// Where it is signed in.
  package let presence: ResourcePresence
  /// What it calls itself (XEP-0092, XEP-0030); `nil`: it does not tell.
  package var name: String?
  package var version: String?
  package var system: String?
  /// What it can do (XEP-0030).
  package var features: Set<String> = []
  /// Whether it was not asked yet what it is, since it was signed in.
  package var needsAsking = false
  /// Whether it is the one that runs this code.
  package var isThisProgram = false

  package init(presence: ResourcePresence) { self.presence = presence }
}

/// The picture that somebody has published (XEP-0084), checked to be the one that was announced.
package struct AvatarPicture: Hashable, Sendable {
  /// The SHA-1 of its bytes, in hexadecimal.
  package let id: String
  /// Where it is in the cache.
  package let path: String
  /// As its first bytes say.
  package let mediaType: String
  package let byteCount: Int

  package init(id: String, path: String, mediaType: String, byteCount: Int) {
    self.id = id
    self.path = path
    self.mediaType = mediaType
    self.byteCount = byteCount
  }
}

/// What is known of a contact beside his place in the roster.
package struct ContactDetails: Hashable, Sendable {
  /// `nil`: his card was never read.
  package var card: StoredCard?
  package var avatar: AvatarPicture?
  package var clients: [ContactClient] = []
  /// When he was signed in last (XEP-0012 §4); `nil`: he is here, or nobody tells.
  package var lastSeen: Date?
  /// What he said when he went.
  package var lastWords: String?
  package var isBlocked = false
  /// Whether the server has not heard of that yet.
  package var blockWaits = false

  package init() {}
}
