import NatterCore
import XMPP

/// One row of the contact list, its text final.
nonisolated package struct ContactItem: Identifiable, Hashable, Sendable {
  package enum ID: Hashable, Sendable {
    /// A group's heading; the empty name is that of people in no group.
    case group(String)
    case requests
    case request(JID)
    case contact(JID, group: String)
    /// A sentence where there is nothing to list.
    case hint
  }

  package let id: ID
  package var sign = ""
  package var availability: Availability?
  package var name = ""
  /// What stands beside the name: how available, or what somebody says.
  package var detail = ""
  /// Whether a heading's people are shown.
  package var isOpen = true
  package var isSelected = false

  package var isSelectable: Bool { id != .hint }

  /// Whom the row is about.
  package var jid: JID? {
    switch id {
    case .request(let jid), .contact(let jid, _): jid
    case .group, .requests, .hint: nil
    }
  }
}

/// A term and what it is, as "Address" and an address.
nonisolated package struct DetailItem: Hashable, Sendable {
  package let term: String
  package let text: String
  package init(_ term: String, _ text: String) {
    self.term = term
    self.text = text
  }
}
