import XMPP

/// An entry of the roster (RFC 6121 §2).
package struct Contact: Identifiable, Hashable, Sendable {
  /// The directions of the presence subscription (RFC 6121 §2.1.2.5).
  package enum Subscription: String, Hashable, Sendable { case none, to, from, both }

  package let jid: JID
  package var name: String?
  package var subscription: Subscription
  /// Indicates whether Natter's request to see this contact's presence is unanswered
  /// (`ask='subscribe'`).
  package var isPending: Bool
  package var groups: [String]
  /// The nickname that the contact publishes (XEP-0172); `nil` if unknown or none.
  package var nickname: String?
  /// The changes that were made here and that the server has not accepted yet, in order.
  package var changes: [ContactChange] = []

  package var id: JID { jid }

  /// Indicates whether the account may see the contact's presence and no change of the contact is
  /// pending.
  package var showsPresence: Bool {
    (subscription == .to || subscription == .both) && changes.isEmpty
  }

  package init(
    jid: JID, name: String? = nil, subscription: Subscription = .none, isPending: Bool = false,
    groups: [String] = [], nickname: String? = nil
  ) {
    self.jid = jid
    self.name = name
    self.subscription = subscription
    self.isPending = isPending
    self.groups = groups
    self.nickname = nickname
  }
}

/// The availability of a contact (RFC 6121 §4.7.2.1), of the best of its resources.
package enum Availability: String, Hashable, Sendable, Codable, CaseIterable {
  case offline, extendedAway, away, busy, online, chatty
}

/// A contact's availability as it is now.
package struct ContactPresence: Hashable, Sendable {
  package let jid: JID
  package var availability: Availability
  /// The status text of the best resource.
  package var status: String?

  package init(jid: JID, availability: Availability, status: String? = nil) {
    self.jid = jid
    self.availability = availability
    self.status = status
  }
}

/// The account's own presence as its contacts see it (RFC 6121 §4.7).
package struct OwnPresence: Hashable, Sendable {
  package var availability: Availability
  /// The status text of the user; `nil`: none.
  package var status: String?
  /// −128 to 127: decides which of the account's clients receives messages to the bare address; a
  /// negative one receives none (§4.7.2.3).
  package var priority: Int

  package init(availability: Availability = .online, status: String? = nil, priority: Int = 0) {
    self.availability = availability
    self.status = status
    self.priority = priority
  }
}

/// The data that a contact publishes (XEP-0163).
package struct Profile: Hashable, Sendable {
  /// The published nickname (XEP-0172). Untrusted.
  package var nickname: String?
  /// The SHA-1 of the avatar, in hexadecimal (XEP-0084 §4.2.1).
  package var avatarID: String?

  package init(nickname: String? = nil, avatarID: String? = nil) {
    self.nickname = nickname
    self.avatarID = avatarID
  }
}
