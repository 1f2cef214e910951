import Foundation
import JSONLines
import NatterCore
import TestSupport
import XMPP

@testable import BridgeService

/// A bridge of one account with stores and services in memory.
final class BridgeFixture: Sendable {
  static let account = JID(local: "alice", domain: "example.org")
  static let bob = JID(local: "bob", domain: "example.org")
  static let tea = JID(local: "tea", domain: "rooms.example.org")
  static let start = Date(timeIntervalSince1970: 1_700_000_000)

  let hub = EventHub()
  let clock = ManualClock(start: start)
  let ports: FakePorts
  let log: TestLog
  let sender: TestSender
  let history = TestHistory()
  let rooms = TestRooms()
  let control = TestControl()
  let host = TestHost()
  let deliveries = TestDeliveries()

  init(
    messages: [Message] = [],
    contacts: [Contact] = [Contact(jid: bob, name: "Bob", subscription: .both)]
  ) {
    ports = FakePorts(
      messages: messages,
      conversations: [
        Conversation(jid: Self.bob, name: "Bob", unread: 2, lastActivity: Self.start),
        Conversation(jid: Self.tea, kind: .room, mentions: 1),
      ],
      contacts: contacts,
      presence: [ContactPresence(jid: Self.bob, availability: .busy, status: "busy")])
    log = TestLog(ports)
    sender = TestSender(ports, hub, clock)
  }

  /// A message of that row, sent so many seconds after the start.
  /// - Parameter delivery: `nil` for a received one.
  static func message(
    _ id: Int64, _ body: String, at seconds: Double = 0, in conversation: JID = bob,
    delivery: Delivery? = nil
  ) -> Message {
    Message(
      id: .init(id), conversation: conversation,
      sender: delivery == nil ? conversation : account,
      direction: delivery == nil ? .incoming : .outgoing, body: body,
      sentAt: start.addingTimeInterval(seconds), originID: "o\(id)", delivery: delivery)
  }

  func options() -> BridgeOptions {
    var options = BridgeOptions(version: "0.9", locale: "en")
    options.clock = BridgeClock(
      now: { [clock] in clock.date }, steady: { [clock] in clock.now.offset },
      sleep: { [clock] in try await clock.sleep(for: $0) })
    options.control = control
    options.host = host
    return options
  }

  var services: BridgeServices {
    var services = BridgeServices(
      sending: sender, reading: ports, history: history, contacts: ports, blocking: ports,
      presence: ports, rooms: rooms, connection: ports)
    services.deliveries = deliveries
    return services
  }

  func account(
    _ jid: JID = account, isRunning: Bool = true, services: BridgeServices? = nil
  ) -> BridgeAccount {
    BridgeAccount(
      jid, hub: hub,
      stores: BridgeStores(
        timeline: ports, log: log, search: ports, conversations: ports, roster: ports),
      services: isRunning ? services ?? self.services : nil)
  }

  /// Serves a client while `body` runs.
  func serve(
    _ accounts: [BridgeAccount]? = nil, _ options: BridgeOptions? = nil,
    for known: BridgeClient? = nil, _ body: (TestClient) async throws -> Void
  ) async throws {
    let client = TestClient()
    let bridge = Bridge(accounts ?? [account()], options: options ?? self.options())
    let serving = Task { await bridge.serve(client, for: known) }
    do {
      try await body(client)
    } catch {
      client.close()
      await serving.value
      throw error
    }
    client.close()
    await serving.value
  }

  /// Stores messages, and announces them.
  func store(_ messages: Message...) async {
    await ports.add(messages)
    hub.publish(.messagesStored(messages))
  }
}

/// Stores what is sent, and announces it.
actor TestSender: IdentifiedMessageSending, MessageRelating {
  private let ports: FakePorts
  private let hub: EventHub
  private let clock: ManualClock
  /// The number of messages that were stored.
  private(set) var sent = 0
  private(set) var replies: [Message.ID] = []
  /// Runs before a text is stored.
  private var delays: [String: @Sendable () async -> Void] = [:]

  init(_ ports: FakePorts, _ hub: EventHub, _ clock: ManualClock) {
    (self.ports, self.hub, self.clock) = (ports, hub, clock)
  }

  func send(
    _ body: String, originID: String, replyingTo original: Message?, in thread: Message.Thread?,
    to conversation: JID, by program: String?
  ) async throws -> Message {
    await delays[body]?()
    if let known = await ports.storedMessage(named: originID, in: conversation) { return known }
    sent += 1
    if let original { replies.append(original.id) }
    // Numbered here: other requests are performed meanwhile.
    let message = Message(
      id: .init(Int64(100 + sent)), conversation: conversation, sender: BridgeFixture.account,
      direction: .outgoing,
      // As the database does.
      body: body.replacing("\r\n", with: "\n"), sentAt: clock.date, originID: originID,
      delivery: .queued
    ).inThread(thread ?? original?.thread).sent(by: program)
    await ports.add([message])
    hub.publish(.messagesStored([message]))
    return message
  }

  func delay(_ body: String, _ delay: @escaping @Sendable () async -> Void) {
    delays[body] = delay
  }

  /// Changes the delivery of the message that was sent last.
  func settle(_ delivery: Delivery) async {
    let message = await ports.storedMessage(.init(Int64(100 + sent)))
    guard let message else { return }
    let changed = BridgeFixture.message(
      message.id.rawValue, message.body, in: message.conversation, delivery: delivery)
    await ports.add([changed])
    hub.publish(.messagesChanged([changed]))
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

/// An archive that answers as a test says.
actor TestHistory: HistoryFetching {
  private var outcomes: [HistoryOutcome] = []
  private var known: [HistoryHole] = []
  private(set) var requests: [String] = []
  private var isEarly = false

  /// Has the session be set up only once that is waited for.
  func signIn() { isEarly = true }
  func isSigningIn() -> Bool { isEarly }
  func signedIn() {
    requests.append("signed in")
    isEarly = false
  }

  func answer(_ outcomes: HistoryOutcome..., holes: [HistoryHole] = []) {
    (self.outcomes, known) = (outcomes, holes)
  }

  func fetchOlder(in conversation: JID) -> HistoryOutcome {
    requests.append("older")
    return outcomes.isEmpty ? .beginning : outcomes.removeFirst()
  }
  func holes(in conversation: JID) -> [HistoryHole] { known }
  func counted(_ hole: HistoryHole, in conversation: JID) -> HistoryHole { hole }
  func fetchMissing(in hole: HistoryHole, of conversation: JID) -> HistoryOutcome {
    requests.append("missing")
    let outcome = outcomes.isEmpty ? .beginning : outcomes.removeFirst()
    if outcome == .fetched { known.removeAll { $0 == hole } }
    return outcome
  }
}

/// A room, with a record of what was asked.
actor TestRooms: RoomReading, RoomEntering, RoomModerating {
  private(set) var calls: [String] = []
  private var refusal: (any Error)?

  func refuse(with error: any Error) { refusal = error }

  private func called(_ parts: String?...) throws {
    calls.append(parts.compactMap(\.self).joined(separator: " "))
    if let refusal { throw refusal }
  }

  func rooms() -> [Room] {
    [Room(jid: BridgeFixture.tea, name: "Tea", nick: "al", phase: .inside, people: 2)]
  }
  func occupants(of room: JID) -> [Occupant] {
    [Occupant(nick: "carol", role: .moderator, affiliation: .owner), Occupant(nick: "al")]
  }
  func join(_ room: JID, nick: String?, password: String?) throws {
    try called("join", room.description, nick, password)
  }
  func leave(_ room: JID) throws { try called("leave", room.description) }
  func address(ofRoom name: String) throws -> JID { BridgeFixture.tea }
  func isRoom(_ address: JID) -> Bool { address == BridgeFixture.tea }
  func changeNick(_ nick: String, in room: JID) throws { try called("nick", nick) }
  func setSubject(_ subject: String, of room: JID) throws { try called("topic", subject) }
  func invite(_ guest: JID, to room: JID, reason: String?) throws {
    try called("invite", guest.description, reason)
  }
  func setRole(_ role: Occupant.Role, of nick: String, in room: JID, reason: String?) throws {
    try called("role", nick, role.rawValue, reason)
  }
  func setAffiliation(
    _ affiliation: Occupant.Affiliation, of person: String, in room: JID, reason: String?
  ) throws {
    try called("affiliation", person, affiliation.rawValue, reason)
  }
  func retract(_ id: String, in room: JID, reason: String?) throws {
    try called("retract", id, reason)
  }
  func people(with affiliation: Occupant.Affiliation, in room: JID) -> [Occupant] { [] }
}

/// Records what clients end.
final class TestControl: BridgeControlling {
  let calls = Observed<[String]>([])
  func release(_ account: JID) { calls.update { $0.append("release \(account)") } }
  func shutDown() { calls.update { $0.append("shutdown") } }
}

/// Records what clients have the screen do.
actor TestHost: BridgeHosting {
  private(set) var calls: [String] = []
  private(set) var notifications: [BridgeNotification] = []
  private var isQuiet = false

  func beQuiet() { isQuiet = true }

  func setPinned(_ isPinned: Bool, _ conversation: JID, of account: JID) -> Bool {
    guard conversation != BridgeFixture.tea else { return false }
    calls.append("\(isPinned ? "pin" : "unpin") \(conversation) of \(account)")
    return true
  }
  func notify(_ notification: BridgeNotification, of account: JID) -> Bool {
    notifications.append(notification)
    return !isQuiet
  }
  func settings() -> [BridgeSetting] {
    [
      BridgeSetting(section: "ui", key: "mouse", value: .boolean(true)),
      BridgeSetting(section: "account", key: "port", value: nil),
      BridgeSetting(
        section: "account", key: "password_command", value: .text("secret"), isHidden: true),
    ]
  }
}

/// A server that refuses what it has taken, as a test says.
actor TestDeliveries: DeliveryJudging {
  private var reason: String?
  private var takesLong = true

  func refuse(_ reason: String) { self.reason = reason }
  func refuseLong() { takesLong = false }

  func refusal(of message: Message.ID) -> String? { reason }
  func isOversized(_ message: Message) -> Bool { !takesLong }
}
