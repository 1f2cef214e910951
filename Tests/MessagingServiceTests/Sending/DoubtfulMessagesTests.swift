import Diagnostics
import Foundation
import NatterCore
import TestSupport
import Testing
import XML
import XMPP

@testable import MessagingService

/// flows.md, "Sending", where the archives that show what arrived cannot all be read.
@Suite struct DoubtfulMessagesTests {
  let store = MemoryMessageStore()
  let hub = EventHub()
  let alice = JID(local: "alice", domain: "example.org")
  let bob = JID(local: "bob", domain: "example.org")
  let carol = JID(local: "carol", domain: "example.net")

  private func outbox(
    identifiers: IdentifierSource = .numbered(),
    sleep: @escaping @Sendable (Duration) async throws -> Void = { _ in throw CancellationError() }
  ) -> Outbox {
    Outbox(
      account: alice, store: store, hub: hub, log: .none,
      options: OutboxOptions(
        identifiers: identifiers, now: { Date(timeIntervalSince1970: 1000) }, sleep: sleep))
  }

  /// An outbox that wrote to bob and to carol over a connection that broke before anything was
  /// acknowledged.
  private func interrupted() async throws -> Outbox {
    let outbox = outbox()
    try await interrupt(outbox, writingTo: [bob, carol])
    return outbox
  }

  /// Has an outbox write over a connection that breaks before anything is acknowledged.
  private func interrupt(_ outbox: Outbox, writingTo peers: [JID]) async throws {
    await outbox.sessionStarted(.fixture, over: RecordingChannel())
    for peer in peers { try await outbox.send("to \(peer)", to: peer) }
    await outbox.sessionEnded()
  }

  @Test(arguments: [
    StanzaError(.wait, .remoteServerTimeout) as any Error & Sendable, ChannelError.timedOut,
    // What one server calls final is that its disk is full.
    StanzaError(.cancel, .internalServerError),
  ])
  func `an archive that cannot be read holds up its own conversation alone, and in order`(
    error: any Error & Sendable
  ) async throws {
    let outbox = try await interrupted()
    let archive = PartlySilentArchive(silent: bob, error: error)
    await outbox.sessionStarted(.fixture, over: archive)
    #expect(await archive.sent.map { $0["id"] } == ["m2"])
    try await outbox.send("second to bob", to: bob)
    try await outbox.send("second to carol", to: carol)
    #expect(await archive.sent.map { $0["id"] } == ["m2", "m4"])
  }

  @Test func `it is tried again after a while, though the user does not type`() async throws {
    let outbox = try await interrupted()
    let archive = PartlySilentArchive(silent: bob, error: ChannelError.timedOut)
    await outbox.sessionStarted(.fixture, over: archive)
    await archive.recover()
    // One look at what waits, then it is cancelled.
    await outbox.run()
    #expect(await archive.sent.map { $0["id"] } == ["m2", "m1"])
    let asked = await archive.asked
    await outbox.run()
    #expect(await archive.asked == asked)
  }

  @Test func `what could not be looked for is tried again soon, and then less and less often`()
    async throws
  {
    let waits = Observed<[Duration]>([])
    let archive = PartlySilentArchive(
      silent: bob, error: StanzaError(.wait, .internalServerError))
    let outbox = outbox(identifiers: IdentifierSource { "m1" }) { wait in
      // The next look at all that waits is not before the end.
      guard wait < .seconds(60) else { return try await Pause.endless(wait) }
      waits.update { $0.append(wait) }
      if waits.value.count == 3 { await archive.recover() }
    }
    try await interrupt(outbox, writingTo: [bob])
    await outbox.sessionStarted(.fixture, over: archive)
    #expect(await archive.sent.isEmpty)
    let running = Task { await outbox.run() }
    #expect(await archive.countSent.waits { $0 > 0 })
    running.cancel()
    await running.value
    #expect(waits.value == [.seconds(1), .seconds(2), .seconds(4)])
  }

  @Test func `a sender waits for no archive: the message is stored, and keeps its order`()
    async throws
  {
    let outbox = try await interrupted()
    let archive = PartlySilentArchive(silent: bob, error: ChannelError.timedOut)
    await outbox.sessionStarted(.fixture, over: archive)
    let asked = await archive.asked
    let second = try await outbox.send("second to bob", to: bob)
    try await outbox.react("👍", to: second)
    try await outbox.send("second to carol", to: carol)
    // A search that the sender began would have been a question.
    #expect(await archive.asked == asked)
    #expect(await archive.sent.map { $0["id"] } == ["m2", "m5"])
    #expect(await store.queued().contains(second))
    await archive.recover()
    await outbox.flush()
    #expect(await archive.sent.map { $0["id"] } == ["m2", "m5", "m1", "m3", "m4"])
  }

  @Test func `the outbox searches at once for senders that do not wait, also between its retries`()
    async throws
  {
    let waits = Observed<[Duration]>([])
    let archive = PartlySilentArchive(
      silent: bob, error: StanzaError(.wait, .internalServerError))
    let outbox = outbox { wait in
      waits.update { $0.append(wait) }
      // Neither a retry nor the next look at all that waits comes before the end.
      try await Pause.endless(wait)
    }
    try await interrupt(outbox, writingTo: [bob])
    await outbox.sessionStarted(.fixture, over: archive)
    let running = Task { await outbox.run() }
    #expect(await waits.waits { Set($0) == [.seconds(1), .seconds(60)] })
    await archive.recover()
    try await outbox.send("second to bob", to: bob)
    #expect(await archive.countSent.waits { $0 == 2 })
    running.cancel()
    await running.value
    #expect(await archive.sent.map { $0["id"] } == ["m1", "m2"])
  }

  @Test func `an archive that refuses a later page has not said what is not in it`() async throws {
    let outbox = outbox()
    try await interrupt(outbox, writingTo: [bob])
    let archive = ScriptedArchive(
      account: alice, entries: (0..<60).map { entry("other\($0)", at: 1001) })
    await archive.fail(from: 2, with: StanzaError(.cancel, .itemNotFound))
    await outbox.sessionStarted(.fixture, over: archive)
    #expect(await archive.sent.isEmpty)
    await archive.recover()
    await outbox.run()
    #expect(await archive.sent.map { $0["id"] } == ["m1"])
  }

  @Test(arguments: [-25.0, 25.0])
  func `a clock that is hours from the server's finds what arrived, as it was and put right`(
    hours: Double
  ) async throws {
    for isPutRight in [false, true] {
      let store = MemoryMessageStore()
      let clock = Observed(Date(timeIntervalSince1970: 1_000_000 + hours * 3600))
      let outbox = Outbox(
        account: alice, store: store, hub: hub, log: .none,
        options: .fixture(now: { clock.value }))
      try await interrupt(outbox, writingTo: [bob])
      if isPutRight { clock.update { $0 = Date(timeIntervalSince1970: 1_000_060) } }
      let archive = ScriptedArchive(account: alice, entries: [entry("m1", at: 1_000_000)])
      await outbox.sessionStarted(.fixture, over: archive)
      #expect(await archive.sent.isEmpty)
      #expect(await store.all.map(\.delivery) == [.sent])
    }
  }

  /// Returns the archive's entry of a message to bob.
  private func entry(_ id: String, at seconds: Double) -> ScriptedArchive.Entry {
    .init(
      id: "s-\(id)", stamp: Date(timeIntervalSince1970: seconds),
      message: MessageStanza(
        Element(
          "message", Namespace.client,
          ["from": "\(alice)/natter", "to": bob.description, "type": "chat", "id": id],
          [Element("body", Namespace.client, text: "text")])))
  }

  @Test func `a message that was found is reported, though another archive cannot be read`()
    async throws
  {
    let outbox = try await interrupted()
    let events = hub.events()
    let archive = PartlySilentArchive(
      silent: bob, error: ChannelError.notConnected, found: "m2", of: carol)
    await outbox.sessionStarted(.fixture, over: archive)
    let reported = await events.published(on: hub).flatMap { event -> [String?] in
      guard case .messagesChanged(let messages) = event else { return [] }
      return messages.filter { $0.delivery == .sent }.map(\.originID)
    }
    let stored = await store.all.filter { $0.delivery == .sent }.map(\.originID)
    #expect(reported == stored)
    #expect(await archive.sent.isEmpty)
  }

  // MARK: What an earlier run of the program sent

  private struct Routes: MessageRouting {
    let route: MessageRoute
    func route(to conversation: JID) -> MessageRoute { route }
  }

  @Test(arguments: [
    (MessageRoute.held, Delivery.queued), (.outside, .queued), (.direct, .sent),
  ])
  func `the server's word for a message of an earlier run counts as it would have in that run`(
    route: MessageRoute, delivery: Delivery
  ) async throws {
    for isTakenUp in [true, false] {
      let store = MemoryMessageStore()
      let outbox = Outbox(
        account: alice, store: store, routes: Routes(route: route), hub: hub, log: .none,
        options: OutboxOptions(identifiers: IdentifierSource { "m1" }))
      // Typed then, without a connection now.
      try await outbox.send("hello", to: JID(local: "den", domain: "rooms.example.org"))
      if isTakenUp { await outbox.sessionTakenUp(underWay: ["m1"]) }
      await outbox.serverAcknowledged(["m1"])
      #expect(await store.all.map(\.delivery) == [delivery])
    }
  }
}

/// The own archive, empty but for one message; questions about one peer cannot be answered.
private actor PartlySilentArchive: StanzaChannel {
  private let silent: JID
  private let found: String?
  private let peer: JID?
  private var error: (any Error & Sendable)?
  private(set) var asked = 0
  private(set) var sent: [Element] = []
  nonisolated let countSent = Observed(0)

  init(silent: JID, error: any Error & Sendable, found: String? = nil, of peer: JID? = nil) {
    (self.silent, self.error, self.found, self.peer) = (silent, error, found, peer)
  }

  func recover() { error = nil }
  func send(_ stanza: Element) {
    sent.append(stanza)
    countSent.update { $0 += 1 }
  }
  func request(_ iq: Element, timeout: Duration) throws -> Element { throw ChannelError.timedOut }

  func archivePage(_ query: XEP0313Query, of archive: JID, timeout: Duration) throws -> XEP0313Page
  {
    asked += 1
    if let error, query.with == silent { throw error }
    guard let found, query.with == peer else { return XEP0313Page(results: [], isComplete: true) }
    let element = Element(
      "message", Namespace.client, ["from": archive.description, "type": "chat", "id": found],
      [Element("body", Namespace.client, text: "text")])
    return XEP0313Page(
      results: [
        XEP0313Result(
          id: "s", stamp: Date(timeIntervalSince1970: 1000), message: MessageStanza(element))
      ], isComplete: true)
  }
}
