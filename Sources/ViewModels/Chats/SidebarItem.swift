import NatterCore
import XMPP

/// One row of the sidebar, its text final.
nonisolated package struct SidebarItem: Identifiable, Hashable, Sendable {
  package enum ID: Hashable, Sendable {
    case section(String)
    case conversation(JID)
    /// Somebody of the roster with whom there is no conversation yet.
    case contact(JID)
    /// Somebody who asks to see this account's presence.
    case request(JID)
    /// A room that somebody invites to.
    case invitation(JID)
    /// Somebody who asks to speak in a room: his address there.
    case voice(JID)
    /// A feed that is followed.
    case feed(Feed.ID)
    /// A sentence where there is nothing to list.
    case hint
  }

  package let id: ID
  /// `1` to `9` and `0` for the tenth; empty for the others.
  package var number = ""
  /// The sign of the availability, and what it says.
  package var presence = ""
  package var availability: Availability?
  /// What the sign says, in words, where somebody hears the list: there is no sign then.
  package var standing = ""
  package var name = ""
  /// How many messages are unread; empty when none.
  package var badge = ""
  /// Whether some of them speak to the person by name.
  package var isMentioned = false
  /// Whether it is a room that the person is not in, by nobody's wish or by another's.
  package var isShutOut = false
  package var isActive = false
  package var isSelected = false

  package init(id: ID) { self.id = id }

  package var isSelectable: Bool {
    switch id {
    case .conversation, .contact, .request, .invitation, .voice, .feed: true
    case .section, .hint: false
    }
  }

  /// Whom the row is about.
  package var jid: JID? {
    switch id {
    case .conversation(let jid), .contact(let jid), .request(let jid), .invitation(let jid),
      .voice(let jid):
      jid
    case .section, .hint, .feed: nil
    }
  }
}

/// A feed that is followed, as the sidebar tells it.
nonisolated package struct SidebarFeed: Hashable, Sendable {
  package let id: Feed.ID
  /// What it is called; from outside.
  package let name: String
  /// How many of its posts have not been read.
  package let unread: Int

  package init(id: Feed.ID, name: String, unread: Int) {
    (self.id, self.name, self.unread) = (id, name, unread)
  }
}
