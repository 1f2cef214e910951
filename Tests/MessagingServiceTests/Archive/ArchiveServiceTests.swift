import Diagnostics
import Foundation
import NatterCore
import Storage
import TestSupport
import Testing
import XML
import XMPP

@testable import MessagingService

/// flows.md, "Data sync" and "Receiving", as far as the archive goes.
@Suite struct ArchiveServiceTests {
  @Test func `first login ever: the newest page comes first, and nothing of it is unread`()
    async throws
  {
    let fixture = try await ArchiveFixture()
    let archive = ScriptedArchive(account: fixture.account, entries: fixture.entries(1...500))
    let events = fixture.hub.events()
    _ = await fixture.signIn(to: archive)
    #expect(try await fixture.bodies() == fixture.texts(451...500))
    #expect(await archive.queries.count == 1)
    #expect(try await fixture.database.conversations.conversation(fixture.bob)?.unread == 0)
    for event in await events.published(on: fixture.hub) {
      if case .messagesStored = event { Issue.record("history was announced as news") }
    }
  }

  /// Also of a server with timestamps in whole seconds: messages of the second in which the session
  /// begins.
  @Test(arguments: [1, -0.4])
  func `first login ever: what is sent while it is under way is unread`(stamp: TimeInterval)
    async throws
  {
    let fixture = try await ArchiveFixture()
    fixture.clock.set(fixture.now + 0.4)
    let archive = ScriptedArchive(account: fixture.account, entries: fixture.entries(1...10))
    let synchronizer = fixture.synchronizer()
    await synchronizer.channelOpened(archive)
    // The archive has it before it is delivered.
    let begun = fixture.now
    fixture.clock.set(begun + 2)
    await archive.append([
      .init(id: "a11", stamp: begun + stamp, message: fixture.entry(11).message)
    ])
    await synchronizer.sessionStarted(.fixture, over: archive)
    #expect(try await fixture.numbers() == Array(1...11))
    #expect(try await fixture.database.conversations.conversation(fixture.bob)?.unread == 1)
  }

  @Test(arguments: [1, 49, 50, 51, 100, 120])
  func `catch-up reads on from the last known message to the newest, each once`(count: Int)
    async throws
  {
    let fixture = try await ArchiveFixture()
    let archive = ScriptedArchive(account: fixture.account, entries: fixture.entries(1...20))
    await fixture.signIn(to: archive).sessionEnded()
    await archive.append(fixture.entries(21...20 + count))
    let events = fixture.hub.events()
    await fixture.signInAndFill(to: archive)
    #expect(try await fixture.bodies() == fixture.texts(1...20 + count))
    #expect(try await fixture.database.conversations.conversation(fixture.bob)?.unread == count)
    let announced = await events.published(on: fixture.hub).reduce(0) { sum, event in
      switch event {
      case .messagesStored(let messages), .historyStored(let messages, _): sum + messages.count
      default: sum
      }
    }
    #expect(announced == count)
  }

  @Test func `interrupted between two pages, the next login goes on where it stopped`() async throws
  {
    let fixture = try await ArchiveFixture()
    let archive = ScriptedArchive(account: fixture.account, entries: fixture.entries(1...10))
    await fixture.signIn(to: archive).sessionEnded()
    await archive.append(fixture.entries(11...200))
    await archive.fail(from: 4, with: ChannelError.notConnected)
    let cut = await fixture.signIn(to: archive)
    #expect(try await fixture.bodies() == fixture.texts(1...110))
    await cut.sessionEnded()
    await archive.recover()
    await fixture.signInAndFill(to: archive)
    #expect(try await fixture.bodies() == fixture.texts(1...200))
  }

  @Test func `live messages move the range's end once catch-up is done`() async throws {
    let fixture = try await ArchiveFixture()
    let archive = ScriptedArchive(account: fixture.account, entries: fixture.entries(1...10))
    let synchronizer = fixture.synchronizer { _ in }
    await synchronizer.signIn(to: archive)
    await synchronizer.receive([fixture.live(fixture.entry(11))])
    await synchronizer.check()
    await synchronizer.sessionEnded()
    let ranges = try await fixture.database.archiveRanges.ranges(of: fixture.account, with: nil)
    #expect(ranges.map(\.start.id) == ["a1"] && ranges.map(\.end.id) == ["a11"])
  }

  @Test func `a live message that was not stored when the program ended is read again`()
    async throws
  {
    let fixture = try await ArchiveFixture()
    let archive = ScriptedArchive(account: fixture.account, entries: fixture.entries(1...10))
    let synchronizer = fixture.synchronizer { _ in }
    await synchronizer.signIn(to: archive)
    let full = MemoryMessageStore()
    await full.fail(with: NatterError(.storage, "error.storage.full"))
    let receiver = MessageReceiver(
      account: fixture.account, store: full, hub: fixture.hub, log: .none,
      sleep: { _ in
        // The user quits while the disk is full.
        withUnsafeCurrentTask { $0?.cancel() }
        throw CancellationError()
      })
    await Task {
      await synchronizer.receive([fixture.live(fixture.entry(11))], storedBy: receiver)
    }.value
    await synchronizer.check()
    await synchronizer.sessionEnded()
    await archive.append(fixture.entries(11...12))
    _ = await fixture.signIn(to: archive)
    #expect(try await fixture.bodies() == fixture.texts(1...12))
  }

  @Test func `without copies of what other clients do, live messages move nothing`() async throws {
    let fixture = try await ArchiveFixture()
    let archive = ScriptedArchive(
      account: fixture.account, entries: fixture.entries(1...10), offersCarbons: false)
    let synchronizer = await fixture.signIn(to: archive)
    await synchronizer.receive([fixture.live(fixture.entry(11))])
    await synchronizer.sessionEnded()
    let ranges = try await fixture.database.archiveRanges.ranges(of: fixture.account, with: nil)
    #expect(ranges.map(\.end.id) == ["a10"])
  }

  @Test func `a stanza-id that the account did not set moves nothing`() async throws {
    let fixture = try await ArchiveFixture()
    let archive = ScriptedArchive(account: fixture.account, entries: fixture.entries(1...10))
    let synchronizer = await fixture.signIn(to: archive)
    let forged = Element(
      "stanza-id", Namespace.stanzaIDs, ["by": "bob@example.org", "id": "a99"])
    await synchronizer.receive([.message(from: "bob@example.org/x", body: "x", forged)])
    await synchronizer.sessionEnded()
    let ranges = try await fixture.database.archiveRanges.ranges(of: fixture.account, with: nil)
    #expect(ranges.map(\.end.id) == ["a10"])
  }

  @Test(arguments: ScriptedArchive.UnknownID.allCases)
  func `an id that the server does not know is replaced by its time, and nothing is doubled`(
    _ unknownID: ScriptedArchive.UnknownID
  ) async throws {
    let fixture = try await ArchiveFixture()
    let archive = ScriptedArchive(account: fixture.account, entries: fixture.entries(1...1000))
    await fixture.signIn(to: archive).sessionEnded()
    // The same messages under new ids, as after a move to another server.
    let moved = ScriptedArchive(
      account: fixture.account,
      entries: (1...1080).map { fixture.entry($0, prefix: "b") }, unknownID: unknownID)
    await fixture.signInAndFill(to: moved)
    let bodies = try await fixture.bodies()
    #expect(Set(bodies).count == bodies.count)
    #expect(bodies.suffix(130) == fixture.texts(951...1080)[...])
    #expect(await moved.queries.count < 30)
  }

  @Test func `an empty archive is remembered as one, so that all that comes later is news`()
    async throws
  {
    let fixture = try await ArchiveFixture()
    let archive = ScriptedArchive(account: fixture.account)
    await fixture.signIn(to: archive).sessionEnded()
    await archive.append(fixture.entries(1...70))
    _ = await fixture.signIn(to: archive)
    #expect(try await fixture.bodies() == fixture.texts(1...70))
    #expect(try await fixture.database.conversations.conversation(fixture.bob)?.unread == 70)
  }

  @Test func `a local message that was typed before the earlier ones were seen answers nothing`()
    async throws
  {
    let fixture = try await ArchiveFixture()
    let archive = ScriptedArchive(account: fixture.account, entries: fixture.entries(1...10))
    await fixture.signIn(to: archive).sessionEnded()
    // Typed after 11 and 12 had been sent, which this client had not heard of; the server has one
    // of them.
    for number in [13, 14] {
      _ = try await fixture.database.outbox.enqueue(
        body: "text \(number)", to: fixture.bob, from: fixture.account, originID: "m\(number)",
        at: ArchiveFixture.stamp(number))
    }
    try await fixture.database.outbox.markAttempted(["m13"], at: ArchiveFixture.stamp(13))
    await archive.append(
      fixture.entries(11...12) + [
        fixture.entry(13, from: fixture.account.with(resource: "here"), to: fixture.bob)
      ])
    let events = fixture.hub.events()
    _ = await fixture.signIn(to: archive)
    #expect(try await fixture.database.conversations.conversation(fixture.bob)?.unread == 2)
    var news: [String] = []
    for event in await events.published(on: fixture.hub) {
      if case .messagesStored(let messages) = event { news += messages.map(\.body) }
    }
    #expect(news == ["text 11", "text 12"])
  }

  @Test func `what was answered from another client is read`() async throws {
    let fixture = try await ArchiveFixture()
    let archive = ScriptedArchive(account: fixture.account, entries: fixture.entries(1...10))
    await fixture.signIn(to: archive).sessionEnded()
    await archive.append(
      fixture.entries(11...12) + [
        fixture.entry(13, from: fixture.account.with(resource: "phone"), to: fixture.bob),
        fixture.entry(14), fixture.entry(15, from: fixture.carol),
      ])
    _ = await fixture.signIn(to: archive)
    let store = fixture.database.conversations
    #expect(try await store.conversation(fixture.bob)?.unread == 1)
    #expect(try await store.conversation(fixture.carol)?.unread == 1)
    #expect(
      try await fixture.database.timeline.latest(2, in: fixture.bob).map(\.direction)
        == [.outgoing, .incoming])
  }

  @Test func `messages of one second keep the archive's order`() async throws {
    let fixture = try await ArchiveFixture()
    let entries = (1...120).map { number in
      let entry = fixture.entry(number)
      return ScriptedArchive.Entry(
        id: entry.id, stamp: Date(timeIntervalSince1970: 1_700_000_000), message: entry.message)
    }
    let archive = ScriptedArchive(account: fixture.account, entries: entries)
    let synchronizer = await fixture.signIn(to: archive)
    #expect(try await synchronizer.fetchOlder(in: fixture.bob) == .fetched)
    #expect(try await synchronizer.fetchOlder(in: fixture.bob) == .fetched)
    #expect(try await fixture.bodies() == fixture.texts(1...120))
  }

  @Test func `a queued message that the archive has is sent`() async throws {
    let fixture = try await ArchiveFixture()
    let archive = ScriptedArchive(account: fixture.account, entries: fixture.entries(1...3))
    _ = try await fixture.database.outbox.enqueue(
      body: "text 9", to: fixture.bob, from: fixture.account, originID: "m9", at: fixture.now)
    await fixture.signIn(to: archive).sessionEnded()
    await archive.append([
      fixture.entry(9, from: fixture.account.with(resource: "natter"), to: fixture.bob)
    ])
    _ = await fixture.signIn(to: archive)
    let messages = try await fixture.database.timeline.latest(10, in: fixture.bob)
    #expect(messages.map(\.delivery) == [nil, nil, nil, .sent])
    #expect(messages.last?.stanzaID == "a9")
  }

  @Test func `a message that bounced stays failed, though the archive has it`() async throws {
    // server-quirks.md, "Both": both servers archive what they could not deliver.
    let fixture = try await ArchiveFixture()
    let archive = ScriptedArchive(account: fixture.account, entries: fixture.entries(1...3))
    await fixture.signIn(to: archive).sessionEnded()
    _ = try await fixture.database.outbox.enqueue(
      body: "text 9", to: fixture.bob, from: fixture.account, originID: "m9", at: fixture.now)
    try await fixture.database.outbox.markAttempted(["m9"], at: fixture.now)
    _ = try await fixture.database.outbox.setDelivery(
      .failed(reason: "nobody there"), ofOriginID: "m9")
    await archive.append([
      fixture.entry(9, from: fixture.account.with(resource: "natter"), to: fixture.bob)
    ])
    _ = await fixture.signIn(to: archive)
    #expect(
      try await fixture.database.timeline.latest(9, in: fixture.bob).map(\.delivery)
        == [nil, nil, nil, .failed(reason: "nobody there")])
  }

  @Test func `a server without an archive is no error`() async throws {
    let fixture = try await ArchiveFixture()
    let archive = ScriptedArchive(account: fixture.account)
    await archive.fail(with: StanzaError(.cancel, .serviceUnavailable))
    let synchronizer = await fixture.signIn(to: archive)
    #expect(try await synchronizer.fetchOlder(in: fixture.bob) == .beginning)
    #expect(try await fixture.database.archiveRanges.ranges(of: fixture.account, with: nil).isEmpty)
  }
}
