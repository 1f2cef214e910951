import NatterCore
import XMPP

/// One row of the contact list, its text final.
nonisolated package struct ContactItem: Identifiable, Hashable, Sendable {
  /// The subject of a row. A contact has one row in each of its groups.
  package enum ID: Hashable, Sendable {
    /// A group's heading; the empty name is that of contacts without a group.
    case group(String)
    case requests
    case request(JID)
    case contact(JID, group: String)
    /// A sentence shown instead of an empty list.
    case hint
  }

  package let id: ID
  package var glyph = ""
  package var availability: Availability?
  package var name = ""
  /// The text beside the name: the availability or the status message.
  package var detail = ""
  /// True if the group under the heading is open.
  package var isOpen = true
  package var isSelected = false

  package var isSelectable: Bool { id != .hint }

  /// The contact that the row is about.
  package var jid: JID? {
    switch id {
    case .request(let jid), .contact(let jid, _): jid
    case .group, .requests, .hint: nil
    }
  }
}

/// A term and its value, such as "Address" and an address.
nonisolated package struct DetailItem: Hashable, Sendable {
  package let term: String
  package let text: String
  package init(_ term: String, _ text: String) {
    self.term = term
    self.text = text
  }
}
