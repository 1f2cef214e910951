import FoundationEssentials
import JSONLines
import NatterCore
import XMPP

/// The stores of an account that clients of the bridge read.
package struct BridgeStores: Sendable {
  let timeline: any TimelineReading
  let log: any MessageLogReading
  let search: any MessageSearching
  let conversations: any ConversationStoring
  let roster: any RosterStoring

  package init(
    timeline: any TimelineReading, log: any MessageLogReading, search: any MessageSearching,
    conversations: any ConversationStoring, roster: any RosterStoring
  ) {
    (self.timeline, self.log, self.search) = (timeline, log, search)
    (self.conversations, self.roster) = (conversations, roster)
  }
}

/// The services of an account that has a connection, or may have one.
package struct BridgeServices: Sendable {
  let sending: any IdentifiedMessageSending & MessageRelating
  let reading: any ConversationReading
  let history: any HistoryFetching
  let contacts: any RosterManaging
  let blocking: any BlockListChanging
  let presence: any PresenceReading & PresenceSetting
  let rooms: any RoomReading & RoomEntering & RoomModerating
  let connection: any ConnectionControlling
  /// `nil`: an acknowledged message counts as sent at once.
  package var deliveries: (any DeliveryJudging)?
  /// `nil`: histories cannot be imported.
  package var transfers: (any HistoryTransferring)?
  /// `nil`: messages cannot be exported.
  package var exports: (any HistoryExporting)?

  package init(
    sending: any IdentifiedMessageSending & MessageRelating, reading: any ConversationReading,
    history: any HistoryFetching, contacts: any RosterManaging, blocking: any BlockListChanging,
    presence: any PresenceReading & PresenceSetting,
    rooms: any RoomReading & RoomEntering & RoomModerating, connection: any ConnectionControlling
  ) {
    (self.sending, self.reading, self.history) = (sending, reading, history)
    (self.contacts, self.blocking, self.presence) = (contacts, blocking, presence)
    (self.rooms, self.connection) = (rooms, connection)
  }
}

/// An account that clients of the bridge can use.
package struct BridgeAccount: Sendable {
  package let jid: JID
  let hub: EventHub
  let stores: BridgeStores
  /// `nil`: another instance has the account, and only what is stored can be read.
  private let running: BridgeServices?
  let feed: MessageFeed

  /// - Parameters:
  ///   - hub: of the account's events.
  ///   - services: `nil`: everything but reading the stores is refused as not possible now.
  package init(_ jid: JID, hub: EventHub, stores: BridgeStores, services: BridgeServices?) {
    self.jid = jid.bare
    self.hub = hub
    self.stores = stores
    running = services
    feed = MessageFeed(of: jid.bare, stores)
  }

  /// The services of the account.
  /// - Throws: `BridgeError.Code.busy` without any.
  var services: BridgeServices {
    get throws(BridgeError) {
      guard let running else { throw BridgeError(.busy) }
      return running
    }
  }

  /// The state of the connection.
  var state: ConnectionState {
    get async { await running?.connection.state() ?? .offline }
  }

  /// The kinds of owners of addresses.
  var book: AddressBook {
    AddressBook(
      of: jid, rooms: running?.rooms, conversations: stores.conversations, roster: stores.roster)
  }

  /// Returns the kind of a conversation; unknown ones count as direct.
  func kind(of conversation: JID) async throws -> Conversation.ConversationKind {
    try await stores.conversations.conversation(conversation)?.kind ?? .direct
  }

  /// Returns the stored message of an id of the wire.
  /// - Throws: `BridgeError.Code.notFound`; also for messages outside of `scope`.
  func message(_ id: Message.ID, in scope: BridgeScope) async throws -> Message {
    guard let message = try await stores.timeline.storedMessage(id), !message.isCorrection,
      message.effect == nil
    else { throw BridgeError(.notFound, "no such message") }
    guard !scope.isAll else { return message }
    let kind = try await kind(of: message.conversation)
    guard scope.contains(message.conversation, kind) else {
      throw BridgeError(.notFound, "no such message")
    }
    return message
  }

  /// Returns the object of a message.
  func object(_ message: Message) async throws -> JSONLine {
    try await stores.object(
      message, of: jid, in: kind(of: message.conversation), isHistory: false)
  }
}

extension BridgeStores {
  /// Returns the object of a message, with its whole text; of one that is larger than a page only
  /// the beginning of the text.
  func object(
    _ message: Message, of account: JID, in kind: Conversation.ConversationKind, isHistory: Bool
  ) async throws -> JSONLine {
    let first = message.edit == nil ? nil : try await log.firstText(of: message.id)
    let name = Conversation(jid: message.conversation, kind: kind).outputKind
    var line = JSONLine(try await timeline.whole(message), of: account, kind: name, first: first)
    if line.text.utf8.count > ObjectPage.mostBytes {
      line = JSONLine(message.shortened, of: account, kind: name, first: nil)
      line.add("cut", true)
    }
    if isHistory { line.add("history", true) }
    return line
  }
}
