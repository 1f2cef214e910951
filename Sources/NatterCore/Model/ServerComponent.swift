import FoundationEssentials
import XMPP

/// A part of the own server, or the server itself: what it is and what it can do (XEP-0030).
package struct ServerComponent: Identifiable, Hashable, Sendable {
  package let jid: JID
  /// What it is called. From outside.
  package var name: String?
  /// What it says of itself; `nil`: it did not answer.
  package var discovery: XEP0030Discovery?

  package var id: JID { jid }

  package init(jid: JID, name: String? = nil, discovery: XEP0030Discovery? = nil) {
    self.jid = jid
    self.name = name
    self.discovery = discovery
  }
}

/// The parts of the own server as they were read last.
package struct ServerParts: Hashable, Sendable {
  /// The server itself first.
  package var parts: [ServerComponent]
  /// `nil`: never.
  package var readAt: Date?

  package init(parts: [ServerComponent] = [], readAt: Date? = nil) {
    self.parts = parts
    self.readAt = readAt
  }
}

/// An invitation that the server made for the account (XEP-0401).
package struct AccountInvitation: Identifiable, Hashable, Sendable {
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    /// Makes its guest a contact; where the server lets anybody in by it, also an account.
    case contact
    /// Lets its guest make an account.
    case account
  }

  package let kind: Kind
  /// The `xmpp:` address to give away.
  package let address: String
  /// A page for people without a client; `nil`: the server has none.
  package let page: String?
  /// Until when it can be used; `nil`: not told.
  package let expires: Date?

  package var id: String { address }

  package init(kind: Kind, address: String, page: String? = nil, expires: Date? = nil) {
    self.kind = kind
    self.address = address
    self.page = page
    self.expires = expires
  }
}
