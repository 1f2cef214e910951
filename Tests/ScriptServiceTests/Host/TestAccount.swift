import Foundation
import NatterCore
import TestSupport
import XMPP

@testable import BridgeService

/// An account in memory behind a real bridge.
final class TestAccount: ScriptBridging {
  static let jid = JID(local: "alice", domain: "example.org")
  static let bob = JID(local: "bob", domain: "example.org")
  static let tea = JID(local: "tea", domain: "rooms.example.org")

  let hub = EventHub()
  let ports: FakePorts
  let sender: Sender
  private let log: TestLog
  private let clock: ManualClock
  /// Indicates whether it is open.
  let isOpen = Observed(true)
  /// The number of sessions that were begun.
  let sessions = Observed(0)

  init(_ clock: ManualClock) {
    self.clock = clock
    ports = FakePorts(
      messages: [],
      conversations: [
        Conversation(jid: Self.bob, name: "Bob"), Conversation(jid: Self.tea, kind: .room),
      ],
      contacts: [Contact(jid: Self.bob, name: "Bob", subscription: .both)])
    sender = Sender(ports, hub, clock)
    log = TestLog(ports)
  }

  var accounts: [JID] { isOpen.value ? [Self.jid] : [] }

  func serve(_ connection: any BridgeConnection, for client: BridgeClient) async {
    sessions.update { $0 += 1 }
    guard isOpen.value else { return }
    var options = BridgeOptions(version: "0.9", locale: "en")
    options.clock = BridgeClock(
      now: { [clock] in clock.date }, steady: { [clock] in clock.now.offset },
      sleep: { [clock] in try await clock.sleep(for: $0) })
    let services = BridgeServices(
      sending: sender, reading: ports, history: History(), contacts: ports, blocking: ports,
      presence: ports, rooms: Rooms(), connection: ports)
    let account = BridgeAccount(
      Self.jid, hub: hub,
      stores: BridgeStores(
        timeline: ports, log: log, search: ports, conversations: ports, roster: ports),
      services: services)
    await Bridge([account], options: options).serve(connection, for: client)
  }

  func changes() -> AsyncStream<Void> { AsyncStream { $0.finish() } }

  /// Stores a message that bob, or the room, has sent, and announces it.
  func receive(_ id: Int64, _ body: String, in conversation: JID = bob) async {
    let message = Message(
      id: .init(id), conversation: conversation, sender: conversation, direction: .incoming,
      body: body, sentAt: clock.date, originID: "o\(id)", delivery: nil)
    await ports.add([message])
    hub.publish(.messagesStored([message]))
  }

  /// Stores what is sent, and announces it.
  actor Sender: IdentifiedMessageSending, MessageRelating {
    private let ports: FakePorts
    private let hub: EventHub
    private let clock: ManualClock
    private(set) var sent: [String] = []

    init(_ ports: FakePorts, _ hub: EventHub, _ clock: ManualClock) {
      (self.ports, self.hub, self.clock) = (ports, hub, clock)
    }

    func send(
      _ body: String, originID: String, replyingTo original: Message?, in thread: Message.Thread?,
      to conversation: JID, by program: String?
    ) async throws -> Message {
      sent.append(body)
      let message = Message(
        id: .init(Int64(1000 + sent.count)), conversation: conversation, sender: TestAccount.jid,
        direction: .outgoing, body: body, sentAt: clock.date, originID: originID,
        delivery: .queued)
      await ports.add([message])
      hub.publish(.messagesStored([message]))
      return message
    }
    func send(_ body: String, replyingTo message: Message) async throws -> Message {
      try await ports.send(body, replyingTo: message)
    }
    func correct(_ message: Message, with body: String) async throws {
      try await ports.correct(message, with: body)
    }
    func react(_ emoji: String, to message: Message) async throws {
      try await ports.react(emoji, to: message)
    }
    func retract(_ message: Message) async throws { try await ports.retract(message) }
  }

  /// No archive.
  private struct History: HistoryFetching {
    func isSigningIn() -> Bool { false }
    func signedIn() {}
    func fetchOlder(in conversation: JID) -> HistoryOutcome { .beginning }
    func holes(in conversation: JID) -> [HistoryHole] { [] }
    func counted(_ hole: HistoryHole, in conversation: JID) -> HistoryHole { hole }
    func fetchMissing(in hole: HistoryHole, of conversation: JID) -> HistoryOutcome { .beginning }
  }

  /// One room, which is only a conversation.
  private struct Rooms: RoomReading, RoomEntering, RoomModerating {
    func rooms() -> [Room] { [] }
    func occupants(of room: JID) -> [Occupant] { [] }
    func join(_ room: JID, nick: String?, password: String?) {}
    func leave(_ room: JID) {}
    func address(ofRoom name: String) -> JID { TestAccount.tea }
    func isRoom(_ address: JID) -> Bool { address == TestAccount.tea }
    func changeNick(_ nick: String, in room: JID) {}
    func setSubject(_ subject: String, of room: JID) {}
    func invite(_ guest: JID, to room: JID, reason: String?) {}
    func setRole(_ role: Occupant.Role, of nick: String, in room: JID, reason: String?) {}
    func setAffiliation(
      _ affiliation: Occupant.Affiliation, of person: String, in room: JID, reason: String?
    ) {}
    func retract(_ id: String, in room: JID, reason: String?) {}
    func people(with affiliation: Occupant.Affiliation, in room: JID) -> [Occupant] { [] }
  }
}
