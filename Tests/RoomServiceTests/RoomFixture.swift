import Diagnostics
import Foundation
import NatterCore
import TestSupport
import Testing
import XML
import XMPP

@testable import RoomService

/// Runs `body` while the service works.
func working(_ service: AccountRooms, _ body: () async throws -> Void) async throws {
  let work = Task { await service.run() }
  defer { work.cancel() }
  try await body()
}

extension AccountRooms {
  /// The service of alice@example.org, whose waits do not end.
  static func fixture(
    _ store: any BookmarkStoring & RoomPeopleStoring = MemoryBookmarkStore(),
    addresses: AddressBook? = nil, hub: EventHub = EventHub(), readsArchives: Bool = false,
    clock: RoomClock = RoomClock(sleep: Pause.endless)
  ) -> AccountRooms {
    AccountRooms(
      account: JID(local: "alice", domain: "example.org"), store: store, addresses: addresses,
      hub: hub, log: .none, readsArchives: readsArchives, clock: clock)
  }

  func state(of room: JID) -> RoomState? { registry.rooms[room] }
}

/// The rooms in memory.
actor MemoryBookmarkStore: BookmarkStoring, RoomPeopleStoring {
  private(set) var stored: [JID: Bookmark]
  var newest: Date?
  let isRoomsWord: Bool
  let newestID: String?

  init(
    _ bookmarks: Bookmark..., newest: Date? = nil, isRoomsWord: Bool = false,
    newestID: String? = nil
  ) {
    self.newestID = newestID
    self.isRoomsWord = isRoomsWord
    stored = Dictionary(uniqueKeysWithValues: bookmarks.map { ($0.room, $0) })
    self.newest = newest
  }

  func unreadableChanges(of kinds: Set<PendingChangeKind>) -> [UnreadableChange] { [] }
  func bookmarks() -> [Bookmark] { Array(stored.values) }
  /// The number of writes that fail from here on, as on a full disk.
  private var refusals = 0
  func refuse(_ times: Int) { refusals = times }

  enum Write: Sendable {
    case saving(Bookmark), saved(Bookmark), savingInvitation, removingInvitation
  }
  private var onWrite: (@Sendable (Write) async throws -> Void)?
  /// Has `body` done before and after writes; one fails when it throws before.
  func during(_ body: (@Sendable (Write) async throws -> Void)?) { onWrite = body }

  func save(_ bookmark: Bookmark) async throws {
    try await onWrite?(.saving(bookmark))
    guard refusals == 0 else {
      refusals -= 1
      throw NatterError(.storage, "error.storage.write")
    }
    stored[bookmark.room] = bookmark
    try await onWrite?(.saved(bookmark))
  }
  /// The rooms whose conversations the user has hidden.
  private(set) var hidden: Set<JID> = []
  func hide(_ room: JID) { hidden.insert(room) }
  /// The rooms whose conversations were opened.
  private(set) var opened: Set<JID> = []
  func openConversation(of room: JID, name: String?) -> Conversation {
    opened.insert(room)
    hidden.remove(room)
    return Conversation(jid: room, kind: .room, name: name)
  }
  func learnConversation(of room: JID, name: String?) -> Conversation? {
    hidden.contains(room) ? nil : Conversation(jid: room, kind: .room, name: name)
  }
  func newestMessage(in room: JID) -> (at: Date, isRoomsWord: Bool, id: String?)? {
    newest.map { ($0, isRoomsWord, newestID) }
  }

  private var kept: [(invitation: RoomInvitation, password: String?)] = []
  private var belonging: [JID: [RoomMember]] = [:]
  func invitations() -> [(invitation: RoomInvitation, password: String?)] { kept }
  func save(_ invitation: RoomInvitation, password: String?) async throws {
    try await onWrite?(.savingInvitation)
    kept.removeAll { $0.invitation.room == invitation.room }
    kept.append((invitation, password))
  }
  func removeInvitation(to room: JID) async throws {
    try await onWrite?(.removingInvitation)
    kept.removeAll { $0.invitation.room == room }
  }
  func members(of room: JID) -> [RoomMember] { belonging[room] ?? [] }
  func replaceMembers(of room: JID, with members: [RoomMember]) { belonging[room] = members }
  func setOwnership(of room: JID, by account: JID, _ isOwner: Bool) {
    var members = belonging[room] ?? []
    guard members.contains(where: { $0.jid == account && $0.affiliation == .owner }) != isOwner
    else { return }
    members.removeAll { $0.jid == account }
    if isOwner { members.append(RoomMember(jid: account, affiliation: .owner, nick: nil)) }
    belonging[room] = members
  }
}

/// A server with one room, which answers requests and admits the client.
actor RoomChannel: StanzaChannel {
  private(set) var sent: [Element] = []
  private(set) var requests: [Element] = []
  var features: [String] = []
  /// The published items, by their ids.
  private(set) var published: [String: Element] = [:]
  private let answers: @Sendable (Element) throws -> Element?

  init(
    features: [String] = [],
    answers: @escaping @Sendable (Element) throws -> Element? = { _ in nil }
  ) {
    self.features = features
    self.answers = answers
  }

  func send(_ stanza: Element) { sent.append(stanza) }

  func request(_ iq: Element, timeout: Duration) throws -> Element {
    requests.append(iq)
    if let answer = try answers(iq) { return answer }
    if iq.first("query", Namespace.discoInfo) != nil {
      return Element(
        "iq", Namespace.client, ["type": "result"],
        [
          Element(
            "query", Namespace.discoInfo, [:],
            [Element("identity", Namespace.discoInfo, ["category": "conference", "type": "text"])]
              + features.map { Element("feature", Namespace.discoInfo, ["var": $0]) })
        ])
    }
    return Element("iq", Namespace.client, ["type": "result"])
  }
}
