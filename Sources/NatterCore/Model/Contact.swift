import XMPP

/// An entry of the roster (RFC 6121 §2).
package struct Contact: Identifiable, Hashable, Sendable {
  package enum Subscription: String, Hashable, Sendable { case none, to, from, both }

  package let jid: JID
  package var name: String?
  package var subscription: Subscription
  /// Whether Natter's request to see this contact's presence waits for an answer (`ask='subscribe'`).
  package var isPending: Bool
  package var groups: [String]
  /// What he calls himself (XEP-0172); `nil`: it is not known, or nothing.
  package var nickname: String?
  /// What was done to it here and the server has not, in order.
  package var changes: [ContactChange] = []

  package var id: JID { jid }

  /// Whether this account may see his presence, and nothing that was done here and waits has to do with it.
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

/// Whether somebody can be reached (RFC 6121 §4.7.2.1), the best of his resources.
package enum Availability: String, Hashable, Sendable, CaseIterable {
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

/// How the account itself is seen by its contacts (RFC 6121 §4.7).
package struct OwnPresence: Hashable, Sendable {
  package var availability: Availability
  /// In the person's words; `nil`: none.
  package var status: String?
  /// −128 to 127: where messages to the bare address go, of all programs of the account; below 0 none do (§4.7.2.3).
  package var priority: Int

  package init(availability: Availability = .online, status: String? = nil, priority: Int = 0) {
    self.availability = availability
    self.status = status
    self.priority = priority
  }
}

/// What somebody publishes of himself (XEP-0163).
package struct Profile: Hashable, Sendable {
  /// What he calls himself (XEP-0172). From outside.
  package var nickname: String?
  /// The SHA-1 of his picture, in hexadecimal (XEP-0084 §4.2.1).
  package var avatarID: String?

  package init(nickname: String? = nil, avatarID: String? = nil) {
    self.nickname = nickname
    self.avatarID = avatarID
  }
}
