import Foundation
import NatterCore
import Storage
import TestSupport
import Testing
import XMPP

@testable import MessagingService

/// Servers that deliver in another order than their archive's: what was on its way to a connection
/// that broke is sent again behind what came meanwhile, with the stamps of its ways
/// (server-quirks.md, "Clusters").
@Suite struct ServersOrderTests {
  /// The stanza of entry `number` as if it had reached the broken connection at `seconds`.
  private func again(_ number: Int, at seconds: Double, _ fixture: ArchiveFixture) -> Stanza {
    let entry = fixture.entry(number)
    return fixture.delayed(
      .init(id: entry.id, stamp: fixture.now + seconds - 600, message: entry.message))
  }

  @Test func `messages delivered again in another order are put in the archive's order`()
    async throws
  {
    let fixture = try await ArchiveFixture()
    let archive = ScriptedArchive(account: fixture.account, entries: fixture.entries(1...3))
    await fixture.signIn(to: archive).sessionEnded()
    for number in 4...9 { await archive.append([fixture.entry(number)]) }
    let receiver = fixture.receiver()
    await receiver.connectionOpened()
    // Five and six came before four; eight is not delivered at all.
    await receiver.receive([
      again(5, at: 1, fixture), again(6, at: 2, fixture), again(4, at: 3, fixture),
      again(9, at: 5, fixture), again(7, at: 6, fixture),
    ])
    #expect(try await fixture.numbers() == [1, 2, 3, 5, 6, 4, 9, 7])
    let before = try await fixture.database.timeline.latest(20, in: fixture.bob)
      .map(\.position.time)
    let changes = fixture.hub.events()
    _ = await fixture.signIn(to: archive)
    #expect(try await fixture.numbers() == Array(1...9))
    let conversation = try await fixture.database.conversations.conversation(fixture.bob)
    #expect(conversation?.unread == 6)
    let stored = try await fixture.database.timeline.latest(20, in: fixture.bob)
    // The line above what is new stays where it was, with what is there now below it.
    #expect(conversation?.firstUnread == stored.first { $0.body == "text 4" }?.position)
    #expect(conversation?.firstUnread?.time == before[3])
    #expect(
      abs(
        (conversation?.lastActivity ?? .distantPast).timeIntervalSince(
          stored.last?.position.time ?? .distantFuture)) < 0.001)
    // Views of them are notified.
    var moved: Set<String> = []
    for await event in changes {
      if case .messagesChanged(let messages) = event { moved.formUnion(messages.map(\.body)) }
      if case .archiveChanged = event { break }
    }
    #expect(moved.isSuperset(of: ["text 4", "text 5", "text 6", "text 7", "text 9"]))
  }

  @Test func `the archive's order holds across its pages, too`() async throws {
    let fixture = try await ArchiveFixture()
    let archive = ScriptedArchive(account: fixture.account, entries: fixture.entries(1...3))
    await fixture.signIn(to: archive).sessionEnded()
    for number in 4...120 { await archive.append([fixture.entry(number)]) }
    let receiver = fixture.receiver()
    await receiver.connectionOpened()
    // The last one first, all within two seconds.
    await receiver.receive(
      (4...120).reversed().map { again($0, at: Double(120 - $0) / 60, fixture) })
    #expect(try await fixture.numbers() == [1, 2, 3] + (4...120).reversed())
    _ = await fixture.signIn(to: archive)
    #expect(try await fixture.numbers() == Array(1...120))
  }

  @Test(arguments: [1, 7, 50, 100, 101, 250])
  func `the archive's order holds across the pages of a hole, too`(distance: Int) async throws {
    let fixture = try await ArchiveFixture()
    func entry(_ number: Int, sentAs stamped: Int? = nil) -> ScriptedArchive.Entry {
      let entry = fixture.entry(number)
      return .init(
        id: entry.id, stamp: ArchiveFixture.stamp(0) + Double(stamped ?? number) / 100,
        message: entry.message)
    }
    let archive = ScriptedArchive(account: fixture.account, entries: (1...3).map { entry($0) })
    await fixture.signIn(to: archive).sessionEnded()
    for number in 4...1000 { await archive.append([entry(number)]) }
    let receiver = fixture.receiver()
    await receiver.connectionOpened()
    // Stretches of what is to be a hole, next to what is known before it and after it too, were
    // delivered the last one first.
    let delivered = stride(from: 150, to: 950, by: distance).flatMap { first in
      (first..<min(first + distance, 950)).filter { $0 % 3 != 0 }.reversed()
    }
    await receiver.receive(
      zip(delivered, delivered.sorted()).map { fixture.delayed(entry($0, sentAs: $1)) })
    #expect(try await fixture.numbers() == [1, 2, 3] + delivered)
    let synchronizer = await fixture.signInAndFill(to: archive)
    #expect(try await fixture.numbers() == Array(1...1000))
    #expect(try await synchronizer.holes(in: fixture.bob).isEmpty)
  }

  @Test(arguments: [0, 0.000_001, 0.005, 0.1])
  func
    `what waited for a connection stands between what came over the one before and what comes live`(
      pause: TimeInterval
    ) async throws
  {
    let fixture = try await ArchiveFixture()
    let receiver = fixture.receiver()
    await receiver.connectionOpened()
    fixture.clock.set(fixture.now + 1)
    await receiver.receive((1...3).map { fixture.live(fixture.entry($0)) })
    // The one after it follows at once, and the server sends again what it had sent to the one
    // before.
    fixture.clock.set(fixture.now + pause)
    await receiver.connectionOpened()
    await receiver.receive(
      (4...40).map { fixture.delayed(fixture.entry($0)) }
        + (41...45).map { fixture.live(fixture.entry($0)) })
    #expect(try await fixture.numbers() == Array(1...45))
  }

  @Test
  func `offline messages that come after the archive's newest page are put before it`()
    async throws
  {
    let fixture = try await ArchiveFixture()
    let archive = ScriptedArchive(account: fixture.account, entries: fixture.entries(1...300))
    let receiver = fixture.receiver()
    await receiver.connectionOpened()
    await receiver.receive((1...50).map { fixture.delayed(fixture.entry($0)) })
    _ = await fixture.signIn(to: archive)
    #expect(try await fixture.numbers() == Array(1...50) + Array(251...300))
    // A server that gives out so many at a time.
    await receiver.receive((51...80).map { fixture.delayed(fixture.entry($0)) })
    await receiver.receive((81...130).map { fixture.delayed(fixture.entry($0)) })
    #expect(try await fixture.numbers() == Array(1...130) + Array(251...300))
  }

  @Test func `offline messages come after what the archive has sent right behind what was known`()
    async throws
  {
    let fixture = try await ArchiveFixture()
    let archive = ScriptedArchive(account: fixture.account, entries: fixture.entries(1...3))
    await fixture.signIn(to: archive).sessionEnded()
    await archive.append(fixture.entries(4...300))
    let receiver = fixture.receiver()
    await receiver.connectionOpened()
    _ = await fixture.signIn(to: archive)
    // Two pages go on from the third one, and the newest is further up.
    #expect(try await fixture.numbers() == Array(1...103) + Array(251...300))
    // A clock that is behind shows when they came.
    func early(_ number: Int) -> Stanza {
      let entry = fixture.entry(number)
      return fixture.delayed(
        .init(id: entry.id, stamp: entry.stamp - 4000, message: entry.message))
    }
    await receiver.receive((104...120).map(early))
    await receiver.receive((121...150).map(early))
    #expect(try await fixture.numbers() == Array(1...150) + Array(251...300))
  }

  @Test func `a message that was typed meanwhile is where the archive has it`() async throws {
    let fixture = try await ArchiveFixture()
    let archive = ScriptedArchive(account: fixture.account, entries: fixture.entries(1...3))
    await fixture.signIn(to: archive).sessionEnded()
    let receiver = fixture.receiver()
    await receiver.connectionOpened()
    await receiver.receive([again(5, at: 1, fixture)])
    _ = try await fixture.database.outbox.enqueue(
      body: "text 90", to: fixture.bob, from: fixture.account, originID: "m90",
      at: fixture.now + 2 - 600)
    try await fixture.database.outbox.markAttempted(["m90"], at: fixture.now)
    await receiver.receive([again(4, at: 3, fixture)])
    await archive.append([
      fixture.entry(4), fixture.entry(5),
      fixture.entry(90, from: fixture.account.with(resource: "natter"), to: fixture.bob),
    ])
    _ = await fixture.signIn(to: archive)
    #expect(try await fixture.numbers() == [1, 2, 3, 4, 5, 90])
  }

  @Test func `what follows a local message comes after what was before that, too`()
    async throws
  {
    let fixture = try await ArchiveFixture()
    let archive = ScriptedArchive(account: fixture.account, entries: fixture.entries(1...3))
    await fixture.signIn(to: archive).sessionEnded()
    let receiver = fixture.receiver()
    await receiver.connectionOpened()
    await receiver.receive([again(4, at: 10, fixture)])
    // Another program of this person has typed it, which had another clock.
    _ = try await fixture.database.outbox.takeOver(
      "text 90", to: fixture.bob, from: fixture.account, originID: "m90",
      typedAt: fixture.now + 1 - 600, fate: .attempted(fixture.now))
    await archive.append([
      fixture.entry(4),
      fixture.entry(90, from: fixture.account.with(resource: "natter"), to: fixture.bob),
    ])
    await fixture.signIn(to: archive).sessionEnded()
    #expect(try await fixture.numbers() == [1, 2, 3, 4, 90])
    await receiver.connectionOpened()
    await receiver.receive([again(5, at: 5, fixture)])
    await archive.append([fixture.entry(5)])
    _ = await fixture.signIn(to: archive)
    #expect(try await fixture.numbers() == [1, 2, 3, 4, 90, 5])
  }

  /// - Parameter clock: by how many seconds this machine's clock is ahead of the server's.
  @Test(arguments: [0.4, 5, 2_592_000])
  func
    `an answer that the archive has comes after its question, and what was there before above it`(
      clock: Double
    ) async throws
  {
    let fixture = try await ArchiveFixture()
    let archive = ScriptedArchive(account: fixture.account, entries: fixture.entries(1...3))
    await fixture.signIn(to: archive).sessionEnded()
    fixture.clock.set(ArchiveFixture.stamp(4) + clock)
    let receiver = fixture.receiver()
    await receiver.connectionOpened()
    await receiver.receive([fixture.live(fixture.entry(4))])
    for number in [90, 91] {
      _ = try await fixture.database.outbox.enqueue(
        body: "text \(number)", to: fixture.bob, from: fixture.account, originID: "m\(number)",
        at: fixture.now + 0.2)
      try await fixture.database.outbox.markAttempted(["m\(number)"], at: fixture.now + 0.2)
    }
    // The archive reports whole seconds: all of it has one timestamp.
    for number in [4, 90, 5, 91, 6] {
      let own = number >= 90 ? fixture.account.with(resource: "natter") : nil
      let entry = fixture.entry(number, from: own, to: own == nil ? nil : fixture.bob)
      await archive.append([
        .init(id: entry.id, stamp: ArchiveFixture.stamp(4), message: entry.message)
      ])
    }
    fixture.clock.set(fixture.now + 60)
    _ = await fixture.signIn(to: archive)
    #expect(try await fixture.numbers() == [1, 2, 3, 4, 90, 5, 91, 6])
    #expect(try await fixture.database.faults() == [])
  }

  @Test func `messages of one second that are in the archive's order are not touched`()
    async throws
  {
    let fixture = try await ArchiveFixture()
    let archive = ScriptedArchive(account: fixture.account, entries: fixture.entries(1...3))
    await fixture.signIn(to: archive).sessionEnded()
    let receiver = fixture.receiver()
    await receiver.connectionOpened()
    await receiver.receive((4...8).map { again($0, at: 1, fixture) })
    let before = try await fixture.database.timeline.latest(20, in: fixture.bob).map(\.position)
    for number in 4...8 { await archive.append([fixture.entry(number)]) }
    _ = await fixture.signIn(to: archive)
    #expect(try await fixture.numbers() == Array(1...8))
    #expect(
      try await fixture.database.timeline.latest(20, in: fixture.bob).map(\.position) == before)
  }
}
