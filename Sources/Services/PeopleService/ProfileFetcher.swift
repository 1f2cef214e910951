import Diagnostics
import NatterCore
import XML
import XMPP

/// Keeps what contacts publish about themselves: nicknames (XEP-0172) and pictures (XEP-0084).
///
/// Contacts who are online publish it by themselves (XEP-0163 §4.3); all others are queried once,
/// at the first data sync that names them.
package actor ProfileFetcher: AccountEventHandling, ConversationDescribing {
  private let account: JID
  private let store: any ProfileStoring
  private let roster: any RosterStoring
  private let hub: EventHub
  private let log: Log
  private var queries = OpenReads<JID, Part>()
  /// The changes of a stored profile, one after the other.
  private let inbox = SerialInbox<JID>()

  /// A part of a profile, which is published by itself.
  private enum Part: Hashable, Sendable { case nickname, avatar }

  /// The node of nicknames (XEP-0172).
  package static let nicknames = "http://jabber.org/protocol/nick"
  /// The node of pictures' metadata (XEP-0084).
  package static let avatars = XEP0084.metadata
  /// The longest accepted nickname, in characters.
  private static let nicknameLimit = 200

  package nonisolated var kinds: Set<AccountEvent.EventKind> { [.published] }

  package init(
    account: JID, store: any ProfileStoring, roster: any RosterStoring, hub: EventHub, log: Log
  ) {
    self.account = account.bare
    self.store = store
    self.roster = roster
    self.hub = hub
    self.log = log
  }

  /// Stores the nickname or picture that a contact publishes.
  package func apply(_ command: AccountEvent) async throws {
    guard let event = XEP0060Event(MessageStanza(command.stanza)) else { return }
    guard Self.isKnown(event.node) else { return }
    let jid = command.sender ?? account
    guard try await isKnown(jid) else { return }
    switch event.node {
    case Self.nicknames:
      try await inbox.run(in: jid) {
        queries.note([.nickname], of: jid)
        try await keep(nickname: Self.nickname(in: event.items.last), of: jid)
      }
    case Self.avatars:
      try await inbox.run(in: jid) {
        queries.note([.avatar], of: jid)
        try await keep(avatarID: Self.avatarID(in: event.items.last), of: jid)
      }
    // Bookmarks and read positions belong to other handlers.
    default: break
    }
  }

  private static func isKnown(_ node: String) -> Bool { node == nicknames || node == avatars }

  /// Returns whether the profile of `jid` is stored: strangers and occupants of rooms would fill
  /// the database.
  private func isKnown(_ jid: JID) async throws -> Bool {
    guard jid.isBare else { return false }
    if jid == account { return true }
    return try await roster.contact(jid) != nil
  }

  /// Queries nickname and picture of a conversation's contact, unless they are stored.
  /// - Throws: `ChannelError`, temporary `StanzaError`s, and storage errors.
  package func describe(_ conversation: ListedConversation, over channel: any StanzaChannel)
    async throws
  {
    let jid = conversation.jid
    guard conversation.kind == .direct, jid.isBare, try await store.profile(of: jid) == nil else {
      return
    }
    let query = queries.begin(jid)
    defer { queries.end(query) }
    let nickname = Self.nickname(in: try await newest(Self.nicknames, of: jid, channel))
    let avatarID = Self.avatarID(in: try await newest(Self.avatars, of: jid, channel))
    try await inbox.run(in: jid) {
      // A contact who publishes nothing is not queried again.
      try await store.addProfile(of: jid)
      // What was published meanwhile is newer than the answers.
      let changes = queries.changes(during: query)
      if let nickname, changes.accept(.nickname) { try await keep(nickname: nickname, of: jid) }
      if let avatarID, changes.accept(.avatar) {
        _ = try await store.addAvatarID(avatarID, of: jid)
      }
    }
  }

  /// Returns the newest item of a node; `nil` also if there is no such node or access is denied.
  private func newest(_ node: String, of jid: JID, _ channel: any StanzaChannel) async throws
    -> Element?
  {
    var question = XEP0060.items(of: node)
    question["to"] = jid.description
    do {
      return XEP0060.items(in: try await channel.request(question)).last
    } catch let error as StanzaError where !error.mayPass {
      return nil
    }
  }

  /// Stores a nickname. It is called from the inbox.
  private func keep(nickname: String?, of jid: JID) async throws {
    let before = try await store.profile(of: jid)
    if let before, before.nickname == nickname { return }
    try await store.setNickname(nickname, of: jid)
    guard nickname != before?.nickname, var contact = try await roster.contact(jid) else { return }
    // An empty nickname removes an earlier one.
    contact.nickname = nickname ?? ""
    hub.publish(.contactsChanged([contact]))
  }

  /// Stores the ID of a picture. It is called from the inbox.
  private func keep(avatarID: String?, of jid: JID) async throws {
    if let before = try await store.profile(of: jid), before.avatarID == avatarID { return }
    try await store.setAvatarID(avatarID, of: jid)
  }

  private static func nickname(in item: Element?) -> String? {
    guard let text = item?.first("nick", nicknames)?.text else { return nil }
    let name = String(text.unicodeScalars.prefix(nicknameLimit))
    return name.allSatisfy(\.isWhitespace) ? nil : name
  }

  private static func avatarID(in item: Element?) -> String? { XEP0084.Picture(item: item)?.id }
}
