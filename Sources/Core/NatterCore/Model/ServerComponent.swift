import FoundationEssentials
import XMPP

/// A component of the own server, or the server itself, with its features (XEP-0030).
package struct ServerComponent: Identifiable, Hashable, Sendable {
  package let jid: JID
  /// The name that it reports. Untrusted.
  package var name: String?
  /// Its discovery response; `nil`: none.
  package var discovery: XEP0030Discovery?

  package var id: JID { jid }

  package init(jid: JID, name: String? = nil, discovery: XEP0030Discovery? = nil) {
    self.jid = jid
    self.name = name
    self.discovery = discovery
  }
}

/// The components of the own server at the last discovery.
package struct ServerParts: Hashable, Sendable {
  /// The server itself first.
  package var parts: [ServerComponent]
  /// The time of the last discovery; `nil`: never.
  package var readAt: Date?

  package init(parts: [ServerComponent] = [], readAt: Date? = nil) {
    self.parts = parts
    self.readAt = readAt
  }
}

/// An invitation that the server generated for the account (XEP-0401).
package struct AccountInvitation: Identifiable, Hashable, Sendable {
  /// The purpose of an invitation.
  package enum InvitationKind: String, Hashable, Sendable, CaseIterable {
    /// Adds its recipient as a contact; where the server permits it, also registers an account.
    case contact
    /// Lets its recipient register an account.
    case account
  }

  package let kind: InvitationKind
  /// The `xmpp:` URI to share.
  package let address: String
  /// The URL of a page for recipients without a client; `nil`: none.
  package let page: String?
  /// The expiry time; `nil`: not specified.
  package let expires: Date?

  package var id: String { address }

  package init(kind: InvitationKind, address: String, page: String? = nil, expires: Date? = nil) {
    self.kind = kind
    self.address = address
    self.page = page
    self.expires = expires
  }
}
