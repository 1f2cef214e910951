import Diagnostics
import Foundation
import NatterCore
import Storage
import TestSupport
import Testing
import XML
import XMPP

@testable import MessagingService

/// flows.md, "Sending" from end to end, over the database.
@Suite struct OutboxFlowTests {
  let alice = JID(local: "alice", domain: "example.org")
  let bob = JID(local: "bob", domain: "example.org")
  let room = JID(local: "den", domain: "rooms.example.org")
  let hub = EventHub()
  let database: AccountDatabase

  init() async throws { database = try await .inMemory() }

  private struct Routes: MessageRouting {
    let room: JID
    let asked: Asked
    func route(to conversation: JID) async -> MessageRoute {
      await asked.act()
      guard conversation.bare == room else { return .direct }
      return conversation.isBare ? .room : .occupant
    }
  }

  /// The action to perform while the route of a message is asked for: the message was read, and
  /// nothing of it is written.
  private actor Asked {
    private var action: (@Sendable () async -> Void)?
    func first(_ action: @escaping @Sendable () async -> Void) { self.action = action }
    func act() async {
      let action = action
      self.action = nil
      await action?()
    }
  }

  private let asked = Asked()

  /// - Parameter now: moved by a test.
  private func outbox(
    identifiers: IdentifierSource = IdentifierSource { "m1" },
    now: @escaping @Sendable () -> Date = { Date(timeIntervalSince1970: 1_700_000_000) }
  ) -> Outbox {
    Outbox(
      account: alice, store: database.outbox, routes: Routes(room: room, asked: asked), hub: hub,
      log: .none,
      options: .fixture(identifiers: identifiers, now: now))
  }

  /// Looks into the database whenever something is to be written.
  private actor Witness: StanzaChannel {
    private let timeline: TimelineStore
    private let peer: JID
    private(set) var seen: [[Delivery?]] = []

    init(_ timeline: TimelineStore, peer: JID) { (self.timeline, self.peer) = (timeline, peer) }

    func send(_ stanza: Element) async throws {
      seen.append(try await timeline.latest(9, in: peer).map(\.delivery))
    }
    func request(_ iq: Element, timeout: Duration) throws -> Element {
      Element("iq", Namespace.client, ["type": "result"])
    }
  }

  @Test func `save to database, then show and send: not a byte goes before it is there`()
    async throws
  {
    let events = hub.events()
    let witness = Witness(database.timeline, peer: bob)
    let outbox = outbox()
    await outbox.sessionStarted(.fixture, over: witness)
    let message = try await outbox.send("hello", to: bob)
    #expect(await witness.seen == [[.queued]])
    #expect(await events.published(on: hub).first == .messagesStored([message]))
  }

  /// The message as an archive keeps it.
  private func archived(inRoom: Bool) -> ScriptedArchive.Entry {
    let element = Element(
      "message", Namespace.client,
      inRoom
        ? ["from": "\(room)/alice", "type": "groupchat", "id": "m1"]
        : ["from": "\(alice)/natter", "to": bob.description, "type": "chat", "id": "m1"],
      [
        Element("body", Namespace.client, text: "hello"),
        Element("origin-id", Namespace.stanzaIDs, ["id": "m1"]),
      ])
    return .init(
      id: "s1", stamp: Date(timeIntervalSince1970: 1_700_000_001), message: MessageStanza(element))
  }

  @Test(arguments: [true, false])
  func `connected, acknowledged: no, it is failed after a while; retry looks in the archive first`(
    isThere: Bool
  ) async throws {
    let clock = Observed(Date(timeIntervalSince1970: 1_700_000_000))
    let outbox = outbox { clock.value }
    let archive = ScriptedArchive(account: alice)
    await outbox.sessionStarted(.fixture, over: archive)
    try await outbox.send("hello", to: bob)
    #expect(await archive.sent.count == 1)
    clock.update { $0 += 1801 }
    await outbox.run()
    var message = try #require(try await database.timeline.latest(1, in: bob).first)
    #expect(message.delivery == .failed(reason: "timed out"))
    if isThere { await archive.append([archived(inRoom: false)]) }
    try await outbox.retry(message)
    // The user who retries does not wait for it.
    #expect(await archive.queries.isEmpty)
    await outbox.flush()
    #expect(await archive.queries.map(\.with) == [bob])
    #expect(await archive.sent.map { $0["id"] } == (isThere ? ["m1"] : ["m1", "m1"]))
    // The same session, but not the time of writing.
    #expect(
      await archive.sent.map { $0.first("delay", Namespace.delay) != nil }
        == (isThere ? [false] : [false, true]))
    message = try #require(try await database.timeline.latest(1, in: bob).first)
    #expect(message.delivery == (isThere ? .sent : .queued))
    #expect(try await database.timeline.latest(9, in: bob).count == 1)
  }

  @Test func `looked for already, and sent since: a retry looks again`() async throws {
    let clock = Observed(Date(timeIntervalSince1970: 1_700_000_000))
    let outbox = outbox { clock.value }
    await outbox.sessionStarted(.fixture, over: RecordingChannel())
    try await outbox.send("hello", to: bob)
    await outbox.sessionEnded()
    // Not in the archive: it is sent once more, and arrives, but nobody says so.
    let archive = ScriptedArchive(account: alice)
    await outbox.sessionStarted(.fixture, over: archive)
    #expect(await archive.sent.count == 1)
    await archive.append([archived(inRoom: false)])
    clock.update { $0 += 1801 }
    await outbox.run()
    try await outbox.retry(try #require(try await database.timeline.latest(1, in: bob).first))
    await outbox.flush()
    #expect(await archive.sent.count == 1)
    #expect(try await database.timeline.latest(9, in: bob).map(\.delivery) == [.sent])
  }

  @Test func `what is on its way cannot be taken back, nor what may have arrived; what waits can`()
    async throws
  {
    let outbox = outbox(identifiers: .numbered())
    await outbox.sessionStarted(.fixture, over: RecordingChannel())
    let message = try await outbox.send("hello", to: bob)
    // It is not called sent: nobody has said that it arrived.
    let refusal = NatterError(.refused, "error.onItsWay", retry: .never)
    await #expect(throws: refusal) { try await outbox.cancel(message) }
    #expect(try await database.timeline.latest(9, in: bob).count == 1)
    await outbox.sessionEnded()
    await #expect(throws: refusal) { try await outbox.cancel(message) }
    #expect(try await database.timeline.latest(9, in: bob).count == 1)
    let waiting = try await outbox.send("later", to: room)
    try await outbox.cancel(waiting)
    #expect(try await database.timeline.latest(9, in: room).isEmpty)
  }

  @Test func `a message for one person is never queued for the room`() async throws {
    let outbox = outbox()
    _ = try await database.conversations.open(room, kind: .direct)
    let one = try #require(room.with(resource: "bob"))
    await #expect(throws: NatterError.self) { try await outbox.send("secret", to: one) }
    #expect(try await database.outbox.queued().isEmpty)
  }

  @Test(arguments: [(0.0, true), (100_000.0, false), (-100_000.0, false)])
  func `timed out? by the time that has passed, not by a clock that is put right meanwhile`(
    jump: Double, expires: Bool
  ) async throws {
    let start = Date(timeIntervalSince1970: 1_700_000_000)
    let clock = Observed(start)
    let passed = Observed(0.0)
    let looks = Observed(0)
    let outbox = Outbox(
      account: alice, store: database.outbox, hub: hub, log: .none,
      options: OutboxOptions(
        identifiers: IdentifierSource { "m1" }, now: { clock.value },
        steady: { .seconds(passed.value) },
        sleep: { _ in
          looks.update { $0 += 1 }
          guard looks.value < 2 else { throw CancellationError() }
          // As much time as is allowed passes, or the clock is put right.
          passed.update { $0 += expires ? 1801 : 60 }
          clock.update { $0 = start + jump + passed.value }
        }))
    try await outbox.send("hello", to: bob)
    await outbox.run()
    #expect(
      try await database.timeline.latest(9, in: bob).map(\.delivery)
        == [expires ? .failed(reason: "timed out") : .queued])
  }

  @Test(arguments: ["cancelled", "retracted", "expired"])
  func `what is taken out just before it would be written is not written`(way: String) async throws
  {
    let clock = Observed(Date(timeIntervalSince1970: 1_700_000_000))
    let outbox = outbox(identifiers: .numbered()) { clock.value }
    let message = try await outbox.send("secret", to: bob)
    await asked.first {
      do {
        switch way {
        case "cancelled": try await outbox.cancel(message)
        case "retracted": try await outbox.retract(message)
        default:
          clock.update { $0 += 1801 }
          await outbox.run()
        }
      } catch {
        Issue.record("it could not be taken out: \(error)")
      }
    }
    let channel = RecordingChannel()
    await outbox.sessionStarted(.fixture, over: channel)
    #expect(await channel.sent.isEmpty)
    #expect(
      try await database.timeline.latest(9, in: bob).map(\.delivery)
        == (way == "expired" ? [.failed(reason: "timed out")] : []))
    // Nothing of it stays behind in the way of the next.
    try await outbox.send("next", to: bob)
    #expect(await channel.sent.map { MessageStanza($0).body } == ["next"])
  }

  /// Does something when a stanza is written.
  private actor Meddler: StanzaChannel {
    private var action: (@Sendable () async -> Void)?
    private(set) var sent: [Element] = []
    init(_ action: @escaping @Sendable () async -> Void) { self.action = action }

    func send(_ stanza: Element) async throws {
      sent.append(stanza)
      let action = action
      self.action = nil
      await action?()
    }
    func request(_ iq: Element, timeout: Duration) throws -> Element {
      Element("iq", Namespace.client, ["type": "result"])
    }
  }

  @Test func `what follows something that is being written is on its way with it`() async throws {
    let outbox = outbox(identifiers: .numbered())
    try await outbox.send("one", to: bob)
    let (two, three) = (
      try await outbox.send("two", to: bob), try await outbox.send("three", to: bob)
    )
    let channel = Meddler {
      await #expect(throws: NatterError.self) { try await outbox.cancel(two) }
      // This goes after what it takes back.
      await #expect(throws: Never.self) { try await outbox.retract(three) }
    }
    await outbox.sessionStarted(.fixture, over: channel)
    #expect(
      await channel.sent.map { MessageDecoder.text(of: MessageStanza($0)) ?? "" }
        == ["one", "two", "three", ""])
    #expect(await channel.sent.last.flatMap { MessageStanza($0).retraction }?.id == "m3")
  }

  @Test func `a connection that breaks in a flush: what was not written goes in the same session`()
    async throws
  {
    let outbox = outbox(identifiers: .numbered())
    for text in ["one", "two", "three"] { try await outbox.send(text, to: bob) }
    let channel = RecordingChannel()
    await channel.breakDown(after: 1)
    await outbox.sessionStarted(.fixture, over: channel)
    #expect(await channel.sent.count == 1)
    await channel.recover()
    await outbox.sessionResumed()
    #expect(await channel.sent.map { $0["id"] } == ["m1", "m2", "m3"])
  }

  // MARK: In rooms

  @Test func `of what was said in a room only the room says that it was refused or has arrived`()
    async throws
  {
    _ = try await database.conversations.open(room, kind: .room)
    let outbox = outbox()
    await outbox.sessionStarted(.fixture, over: RecordingChannel())
    try await outbox.send("hello", to: room)
    func refusal(from sender: String) -> Stanza {
      .message(
        from: sender, id: "m1", type: "error", StanzaError(.cancel, .serviceUnavailable).element)
    }
    await outbox.receive([
      refusal(from: "\(room)/mallory"),
      .message(from: "\(room)/mallory", Element("received", Namespace.receipts, ["id": "m1"])),
    ])
    #expect(try await database.timeline.latest(9, in: room).map(\.delivery) == [.queued])
    await outbox.receive([refusal(from: room.description)])
    guard case .failed = try await database.timeline.latest(1, in: room).first?.delivery else {
      Issue.record("the room's own refusal did not count")
      return
    }
  }

  @Test func `a private message to an occupant is refused by that occupant`() async throws {
    let mallory = try #require(room.with(resource: "mallory"))
    let outbox = outbox()
    await outbox.sessionStarted(.fixture, over: RecordingChannel())
    try await outbox.send("psst", to: mallory)
    await outbox.receive([
      .message(
        from: mallory.description, id: "m1", type: "error",
        StanzaError(.cancel, .itemNotFound).element)
    ])
    // It is no address that is spelled wrong.
    #expect(
      try await database.timeline.latest(1, in: mallory).map(\.delivery)
        == [.failed(reason: "mallory is not in the room")])
  }

  @Test func `where a contact's address is not found, that is reported`() async throws {
    let bob = JID(local: "bob", domain: "example.org")
    let outbox = outbox()
    await outbox.sessionStarted(.fixture, over: RecordingChannel())
    try await outbox.send("psst", to: bob)
    let error = StanzaError(.cancel, .itemNotFound)
    await outbox.receive([
      .message(from: "\(bob)/phone", id: "m1", type: "error", error.element)
    ])
    #expect(
      try await database.timeline.latest(1, in: bob).map(\.delivery)
        == [.failed(reason: error.explanation)])
  }

  @Test func `what the room sends back is the acknowledgement, and nothing else is`() async throws {
    _ = try await database.conversations.open(room, kind: .room)
    let outbox = outbox()
    await outbox.sessionStarted(.fixture, over: RecordingChannel())
    try await outbox.send("hello", to: room)
    await outbox.serverAcknowledged(["m1"])
    #expect(try await database.timeline.latest(9, in: room).map(\.delivery) == [.queued])
    let reflected = IncomingMessage(
      conversation: room, sender: try #require(room.with(resource: "alice")),
      direction: .outgoing, body: "hello", sentAt: Date(timeIntervalSince1970: 1_700_000_001),
      originID: "m1", stanzaID: "s1")
    let stored = try await database.messages.insert([reflected]) { _ in true }
    #expect(stored.changed.map(\.delivery) == [.sent] && stored.messages.isEmpty)
    let messages = try await database.timeline.latest(9, in: room)
    #expect(messages.map(\.delivery) == [.sent] && messages.map(\.stanzaID) == ["s1"])
  }

  @Test(arguments: [true, false])
  func `resend never duplicates in rooms: the room's archive is asked, by no address`(isThere: Bool)
    async throws
  {
    // An archive of a room finds nothing by an address, or does not look at it.
    _ = try await database.conversations.open(room, kind: .room)
    let outbox = outbox()
    await outbox.sessionStarted(.fixture, over: RecordingChannel())
    try await outbox.send("hello", to: room)
    await outbox.sessionEnded()
    let archive = ScriptedArchive(account: alice)
    await archive.setEntries(isThere ? [archived(inRoom: true)] : [], of: room)
    await outbox.sessionStarted(.fixture, over: archive)
    #expect(await archive.asked == [room])
    #expect(await archive.queries.map(\.with) == [nil])
    #expect(await archive.sent.map { $0["type"] } == (isThere ? [] : ["groupchat"]))
    #expect(await archive.sent.map { $0["id"] } == (isThere ? [] : ["m1"]))
    #expect(
      try await database.timeline.latest(9, in: room).map(\.delivery)
        == [isThere ? .sent : .queued])
  }
}
