import FoundationEssentials
import XMPP

/// What happened to the account and is not a chat message: an invitation, being removed from a room, a changed avatar
/// (flows.md, "Data sync").
package struct AccountEvent: Identifiable, Hashable, Sendable {
  /// What it is about; each kind has a handler that a module registers.
  package struct Kind: RawRepresentable, Hashable, Sendable {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }
    /// The room asks the account in (XEP-0045 §7.8.2), or somebody does without it (XEP-0249).
    package static let roomInvitation = Kind(rawValue: "room-invitation")
    /// The account was removed or banned from a room, or the room is no more (XEP-0045 §8.2, §9.1, §10.9).
    package static let roomExit = Kind(rawValue: "room-exit")
    /// The room's configuration, its name among it, changed (XEP-0045 §10.2.1).
    package static let roomChanged = Kind(rawValue: "room-changed")
    /// Somebody asks to see this account's presence (RFC 6121 §3.1).
    package static let contactRequest = Kind(rawValue: "contact-request")
    /// Something was published (XEP-0163 §4.3): avatar, nickname, bookmarks, read positions, events.
    package static let published = Kind(rawValue: "published")
    /// The block list changed (XEP-0191 §3).
    package static let blockList = Kind(rawValue: "block-list")
  }

  /// The same for the same thing by whatever road, and however often it comes.
  package let id: String
  package let kind: Kind
  /// Whom it is from; `nil`: the own account.
  package let sender: JID?
  /// The stanza that it came in.
  package let stanza: Element

  /// Whether the server keeps it for the account, so that it may come again and must not be applied twice; others tell of
  /// a state, which is told again at each login.
  package let isKept: Bool

  package init(id: String, isKept: Bool, kind: Kind, sender: JID?, stanza: Element) {
    self.id = id
    self.isKept = isKept
    self.kind = kind
    self.sender = sender
    self.stanza = stanza
  }
}

/// Applies commands of some kinds; a module registers one for each kind that it knows.
package protocol AccountEventHandling: Sendable {
  /// Which kinds it takes.
  var kinds: Set<AccountEvent.Kind> { get }
  /// Applies the command. It may be called again with the same one after the program ended in the middle.
  /// - Throws: when it could not be applied now; the next sync tries again.
  func apply(_ command: AccountEvent) async throws
}

/// Takes what an archive holds of commands, and has them run.
package protocol CommandTaking: Sendable {
  /// - Parameter results: from the account's own archive, oldest first.
  func take(_ results: [XEP0313Result]) async
}

/// The list of commands as the database holds it.
package protocol CommandStoring: Sendable {
  /// Stores the commands that were never stored before.
  /// - Returns: those.
  func add(_ commands: [AccountEvent], at date: Date) async throws -> [AccountEvent]
  /// Those that were not settled, oldest first.
  func pendingCommands() async throws -> [AccountEvent]
  /// Notes that commands were applied or skipped: they do not come again, though their ids stay known.
  func settle(_ ids: [AccountEvent.ID]) async throws
}

/// Stores the list of conversations.
package protocol ConversationListStoring: Sendable {
  /// Makes those that are not there, all in one transaction; what is there keeps its state.
  /// - Returns: those that are new.
  func addConversations(_ listed: [ListedConversation]) async throws -> [Conversation]
}

/// A conversation that is on one of the account's lists (flows.md, "Data sync").
package struct ListedConversation: Hashable, Sendable {
  package let jid: JID
  package let kind: Conversation.Kind
  /// Whether it is shown in the list although nothing was written there; contacts have a list of their own.
  package let opens: Bool

  package init(jid: JID, kind: Conversation.Kind, opens: Bool) {
    self.jid = jid
    self.kind = kind
    self.opens = opens
  }
}

/// One of the account's lists of conversations: contacts, bookmarks, the archive.
package protocol ConversationListing: Sendable {
  /// Fetches the list and stores it with what belongs to it: names, states, read positions.
  /// - Throws: `StanzaError`, `ChannelError` or a `NatterError`; the other lists go on.
  func list(over channel: any StanzaChannel) async throws -> [ListedConversation]
}

/// A source of what is to be known of conversations (flows.md, "Data sync"): names, avatars,
/// members, features.
package protocol ConversationDescribing: Sendable {
  /// Fetches what is to be known of `conversation` and stores it; quick where it does not concern this source.
  /// - Throws: `StanzaError`, `ChannelError` or a `NatterError`; the others go on.
  func describe(_ conversation: ListedConversation, over channel: any StanzaChannel) async throws
}

/// How far data sync is.
package struct SyncProgress: Hashable, Sendable {
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
