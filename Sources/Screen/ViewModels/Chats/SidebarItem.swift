import NatterCore
import XMPP

/// One row of the sidebar, its text final.
nonisolated package struct SidebarItem: Identifiable, Hashable, Sendable {
  /// The subject of a row.
  package enum ID: Hashable, Sendable {
    case section(String)
    case conversation(JID)
    /// A contact without a conversation.
    case contact(JID)
    /// A subscription request.
    case request(JID)
    /// An invitation to a room.
    case invitation(JID)
    /// A voice request: the occupant's JID.
    case voice(JID)
    /// A subscribed feed.
    case feed(Feed.ID)
    /// A sentence shown instead of an empty list.
    case hint
  }

  package let id: ID
  /// `1` to `9` and `0` for the tenth; empty for the others.
  package var number = ""
  /// The glyph of the availability.
  package var presence = ""
  package var availability: Availability?
  /// The meaning of the glyph as text, for screen readers, which get no glyph.
  package var spokenPresence = ""
  package var name = ""
  /// The number of unread messages; empty if there are none.
  package var badge = ""
  /// True if some of them mention the user.
  package var isMentioned = false
  /// True if it is a room that the user is not in, without having left it.
  package var isShutOut = false
  /// True if it is a conversation that is muted: it is dimmed.
  package var isMuted = false
  package var isActive = false
  package var isSelected = false

  package init(id: ID) { self.id = id }

  package var isSelectable: Bool {
    switch id {
    case .conversation, .contact, .request, .invitation, .voice, .feed: true
    case .section, .hint: false
    }
  }

  /// The text of a number: its key, 1 to 9, and 0 for the tenth.
  static func key(of number: Int?) -> String { number.map { $0 <= 10 ? "\($0 % 10)" : "" } ?? "" }

  /// The address that the row is about.
  package var jid: JID? {
    switch id {
    case .conversation(let jid), .contact(let jid), .request(let jid), .invitation(let jid),
      .voice(let jid):
      jid
    case .section, .hint, .feed: nil
    }
  }
}

/// A subscribed feed in the sidebar.
nonisolated package struct SidebarFeed: Hashable, Sendable {
  package let id: Feed.ID
  /// Its title; remote data.
  package let name: String
  /// The number of unread posts.
  package let unread: Int

  package init(id: Feed.ID, name: String, unread: Int) {
    (self.id, self.name, self.unread) = (id, name, unread)
  }
}
