import FoundationEssentials
import XML
import XMPP

/// An event of the account that is not a chat message: an invitation, the removal from a room, a
/// changed avatar (flows.md, "Data sync").
package struct AccountEvent: Identifiable, Hashable, Sendable {
  /// The kind of an event; a module registers a handler for each.
  package struct EventKind: RawRepresentable, Hashable, Sendable {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }
    /// An invitation by the room (XEP-0045 §7.8.2), or a direct one (XEP-0249).
    package static let roomInvitation = EventKind(rawValue: "room-invitation")
    /// The account was removed or banned from a room, or the room was destroyed (XEP-0045 §8.2,
    /// §9.1, §10.9).
    package static let roomExit = EventKind(rawValue: "room-exit")
    /// The room's configuration, which includes its name, changed (XEP-0045 §10.2.1).
    package static let roomChanged = EventKind(rawValue: "room-changed")
    /// A request to see this account's presence (RFC 6121 §3.1).
    package static let contactRequest = EventKind(rawValue: "contact-request")
    /// A published item (XEP-0163 §4.3): avatar, nickname, bookmarks, read positions, events.
    package static let published = EventKind(rawValue: "published")
    /// The block list changed (XEP-0191 §3).
    package static let blockList = EventKind(rawValue: "block-list")
  }

  /// The same id for the same event, by whichever path and however often it arrives.
  package let id: String
  package let kind: EventKind
  /// The sender; `nil`: the own account.
  package let sender: JID?
  /// The stanza that contained it.
  package let stanza: Element

  /// Indicates whether the server stores it for the account, so that it may arrive again and must
  /// not be applied twice; the others report a state, which is sent again at each login.
  package let isKept: Bool

  package init(id: String, isKept: Bool, kind: EventKind, sender: JID?, stanza: Element) {
    self.id = id
    self.isKept = isKept
    self.kind = kind
    self.sender = sender
    self.stanza = stanza
  }
}

/// Applies events of some kinds; a module registers one handler for each kind that it knows.
package protocol AccountEventHandling: Sendable {
  /// The kinds that it handles.
  var kinds: Set<AccountEvent.EventKind> { get }
  /// Applies the event. It may be called again with the same one after an exit of the program in
  /// the middle.
  /// - Throws: if it cannot be applied now; the next sync retries.
  func apply(_ command: AccountEvent) async throws
}

/// Stores the list of events.
package protocol CommandStoring: Sendable {
  /// Stores the events that were never stored before.
  /// - Returns: these.
  func add(_ commands: [AccountEvent], at date: Date) async throws -> [AccountEvent]
  /// Returns the events that were not settled, oldest first.
  func pendingCommands() async throws -> [AccountEvent]
  /// Marks events as applied or skipped: they are not returned again, while their ids remain known.
  func settle(_ ids: [AccountEvent.ID]) async throws
}

/// Stores the list of conversations.
package protocol ConversationListStoring: Sendable {
  /// Creates the missing ones, all in one transaction; existing ones keep their state.
  /// - Returns: the new ones.
  func addConversations(_ listed: [ListedConversation]) async throws -> [Conversation]
}

/// A conversation of one of the account's lists (flows.md, "Data sync").
package struct ListedConversation: Hashable, Sendable {
  package let jid: JID
  package let kind: Conversation.ConversationKind
  /// Indicates whether it is shown in the list although it has no messages; contacts have a list of
  /// their own.
  package let opens: Bool

  package init(jid: JID, kind: Conversation.ConversationKind, opens: Bool) {
    self.jid = jid
    self.kind = kind
    self.opens = opens
  }
}

/// One of the account's lists of conversations: contacts, bookmarks, the archive.
package protocol ConversationListing: Sendable {
  /// Fetches the list and stores it with its data: names, states, read positions.
  /// - Throws: `StanzaError`, `ChannelError` or a `NatterError`; the other lists continue.
  func list(over channel: any StanzaChannel) async throws -> [ListedConversation]
}

/// A source of data about conversations (flows.md, "Data sync"): names, avatars, members, features.
package protocol ConversationDescribing: Sendable {
  /// Fetches the data of `conversation` and stores it; returns quickly if this source does not
  /// apply.
  /// - Throws: `StanzaError`, `ChannelError` or a `NatterError`; the others continue.
  func describe(_ conversation: ListedConversation, over channel: any StanzaChannel) async throws
}

/// The progress of data sync.
package struct SyncProgress: Hashable, Sendable {
  /// The phases of data sync, in their order.
  package enum Step: String, Hashable, Sendable { case list, details, commands }
  package let step: Step
  package let done: Int
  package let total: Int

  package init(_ step: Step, done: Int, total: Int) {
    self.step = step
    self.done = done
    self.total = total
  }
}
