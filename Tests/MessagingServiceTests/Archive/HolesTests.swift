import Diagnostics
import Foundation
import NatterCore
import Storage
import Synchronization
import TestSupport
import Testing
import XMPP

@testable import MessagingService

/// flows.md, "Receiving": a hole is the space between two ranges; it is known, and it is filled.
@Suite struct HolesTests {
  /// An account that knows 1 to 20 and missed `count` messages since.
  private func away(
    _ count: Int, unknownID: ScriptedArchive.UnknownID = .refused, reportsCount: Bool = true,
    isExtended: Bool = false
  ) async throws -> (fixture: ArchiveFixture, archive: ScriptedArchive) {
    let fixture = try await ArchiveFixture()
    let archive = ScriptedArchive(
      account: fixture.account, entries: fixture.entries(1...20), unknownID: unknownID,
      reportsCount: reportsCount, isExtended: isExtended)
    await fixture.signIn(to: archive).sessionEnded()
    await archive.append(fixture.entries(21...20 + count))
    return (fixture, archive)
  }

  @Test
  func
    `much was missed: the newest page is there before what lies between, which is known as a hole`()
    async throws
  {
    let (fixture, archive) = try await away(580)
    let synchronizer = await fixture.signIn(to: archive)
    #expect(try await fixture.numbers() == Array(1...120) + Array(551...600))
    let holes = try await synchronizer.holes(in: fixture.bob)
    #expect(holes.count == 1)
    #expect(try await fixture.isHonest())
  }

  @Test(arguments: [false, true])
  func `in the background holes are filled, newest first, until none is left`(isExtended: Bool)
    async throws
  {
    let (fixture, archive) = try await away(580, isExtended: isExtended)
    let events = fixture.hub.events()
    let synchronizer = await fixture.signInAndFill(to: archive)
    #expect(try await fixture.numbers() == Array(1...600))
    #expect(try await synchronizer.holes(in: fixture.bob).isEmpty)
    #expect(
      try await fixture.database.archiveRanges.ranges(of: fixture.account, with: nil).map(\.end.id)
        == ["a600"])
    // Each page is reported, and the one before it arrived later.
    var pages: [Int] = []
    for event in await events.published(on: fixture.hub) {
      if case .historyStored(let messages, let missed) = event {
        #expect(missed)
        pages.append(Int(messages.first?.body.dropFirst(5) ?? "") ?? 0)
      }
    }
    #expect(pages == pages.sorted(by: >) && pages.count == 9)
    #expect(try await fixture.database.conversations.conversation(fixture.bob)?.unread == 580)
  }

  @Test func `an archive that takes two ids says whether a page reaches what is known`()
    async throws
  {
    let (fixture, archive) = try await away(350, isExtended: true)
    let synchronizer = await fixture.signIn(to: archive)
    let before = await archive.queries.count
    await synchronizer.fillHoles()
    #expect(try await fixture.numbers() == Array(1...370))
    let queries = await archive.queries[before...]
    // Two hundred lie between, fifty to a page; the last of them comes with what is known before
    // it.
    #expect(queries.prefix(5).map(\.after) == ["a120", "a120", "a120", "a120", nil])
    #expect(
      queries.dropFirst(3).prefix(2).allSatisfy { $0.page.position == .before("a171") })
  }

  @Test func `an archive that takes one id at a time is never asked with two`() async throws {
    let (fixture, archive) = try await away(350)
    await fixture.signInAndFill(to: archive)
    #expect(await archive.queries.allSatisfy { $0.after == nil })
  }

  @Test func `two positions in reverse order in the archive are not taken for one`()
    async throws
  {
    // By a clock that was wrong, what came last is older than all that is known.
    let (fixture, archive) = try await away(350, isExtended: true)
    let reader = ArchiveReader(state: ArchiveState(account: fixture.account))
    let (first, second) = (
      ArchivePosition(id: "a300", at: .now), ArchivePosition(id: "a21", at: .now)
    )
    #expect(
      try await reader.page(
        between: first, and: second, of: fixture.account, with: nil, over: archive) == nil)
    #expect(
      try await reader.page(
        between: second, and: first, of: fixture.account, with: nil, over: archive)?.newest
        == "a299")
    // An id that the server does not have.
    #expect(
      try await reader.page(
        between: ArchivePosition(id: "gone", at: .now), and: first, of: fixture.account, with: nil,
        over: archive) == nil)
  }

  @Test(arguments: 1...16)
  func `cut at any request, the database knows what it lacks, and the next sessions bring it`(
    number: Int
  ) async throws {
    let (fixture, archive) = try await away(430)
    let before = await archive.queries.count
    await archive.fail(from: before + number, with: ChannelError.notConnected)
    let clock = fixture.clock
    let receiver = MessageReceiver(
      account: fixture.account, store: fixture.database.messages, hub: fixture.hub, log: .none
    ) { clock.now }
    clock.set(ArchiveFixture.stamp(450))
    let cut = await fixture.signIn(to: archive)
    // More arrives while it is not caught up.
    for next in 451...460 {
      clock.set(ArchiveFixture.stamp(next))
      await archive.append([fixture.entry(next)])
      await cut.receive([fixture.live(fixture.entry(next))], storedBy: receiver)
    }
    await cut.fillHoles()
    #expect(try await fixture.isHonest(), "as killed at request \(number)")
    await cut.sessionEnded()
    #expect(try await fixture.isHonest(), "cut at request \(number)")
    // Another cut, with a gap of its own.
    await archive.append(fixture.entries(461...900))
    clock.set(ArchiveFixture.stamp(901))
    await archive.fail(from: await archive.queries.count + 4, with: ChannelError.timedOut)
    let second = await fixture.signInAndFill(to: archive)
    #expect(try await fixture.isHonest())
    await second.sessionEnded()
    await archive.recover()
    let last = await fixture.signInAndFill(to: archive)
    #expect(try await fixture.bodies().count == 900)
    #expect(try await last.holes(in: fixture.bob).isEmpty)
    #expect(
      try await fixture.database.archiveRanges.ranges(of: fixture.account, with: nil).count == 1)
  }

  /// All within a second, as a script writes: only their order in the archive shows their position.
  @Test(arguments: 1...24)
  func `a hole that is looked at while it is filled is filled once, in the archive's order`(
    seed: Int
  ) async throws {
    let fixture = try await ArchiveFixture()
    let entries = (1...400).map { number in
      let entry = fixture.entry(number)
      return ScriptedArchive.Entry(
        id: entry.id, stamp: ArchiveFixture.stamp(0), message: entry.message)
    }
    let archive = ScriptedArchive(
      account: fixture.account, entries: Array(entries[..<20]), isExtended: seed.isMultiple(of: 2))
    await fixture.signIn(to: archive).sessionEnded()
    await archive.append(Array(entries[20...]))
    let synchronizer = await fixture.signIn(to: archive)
    #expect(try await synchronizer.holes(in: fixture.bob).count == 1)
    let generator = Mutex(SeededGenerator(seed: UInt64(seed)))
    await archive.before { _ in
      for _ in 0..<generator.withLock({ Int.random(in: 0..<40, using: &$0) }) { await Task.yield() }
    }
    try await withThrowingTaskGroup { group in
      group.addTask { await synchronizer.fillHoles() }
      group.addTask {
        while let hole = try await synchronizer.holes(in: fixture.bob).last {
          #expect(try await synchronizer.fetchMissing(in: hole, of: fixture.bob) == .fetched)
        }
      }
      try await group.waitForAll()
    }
    #expect(try await fixture.numbers() == Array(1...400))
    #expect(
      try await fixture.database.archiveRanges.ranges(of: fixture.account, with: nil).count == 1)
  }

  @Test func `live messages make a range of their own until catch-up has met them`() async throws {
    let (fixture, archive) = try await away(30)
    let synchronizer = fixture.synchronizer()
    await synchronizer.copies.sessionStarted(.fixture, over: archive)
    let live = fixture.live(fixture.entry(51))
    await archive.append([fixture.entry(51)])
    let meanwhile = Mutex<[ArchiveRange]>([])
    // It comes while the archive is being asked.
    await archive.before { [weak archive] _ in
      await archive?.before(nil)
      await synchronizer.receive([live])
      let ranges = try? await fixture.database.archiveRanges.ranges(of: fixture.account, with: nil)
      meanwhile.withLock { $0 = ranges ?? [] }
    }
    await synchronizer.sessionStarted(.fixture, over: archive)
    await synchronizer.sessionEnded()
    // Not joined to what was known before, whatever lies between.
    #expect(meanwhile.withLock { $0.map(\.end.id) } == ["a20", "a51"])
    #expect(meanwhile.withLock { $0.last?.start.id } == "a51")
    let ranges = try await fixture.database.archiveRanges.ranges(of: fixture.account, with: nil)
    #expect(ranges.map(\.end.id) == ["a51"] && ranges.first?.start.id == "a1")
  }

  @Test(arguments: ScriptedArchive.UnknownID.allCases)
  func `hole? yes: a conversation that is looked at gets its own messages first`(
    _ unknownID: ScriptedArchive.UnknownID
  ) async throws {
    let fixture = try await ArchiveFixture()
    let entries = (1...600).map {
      fixture.entry($0, from: $0.isMultiple(of: 3) ? fixture.carol : fixture.bob)
    }
    let archive = ScriptedArchive(
      account: fixture.account, entries: Array(entries[..<20]), unknownID: unknownID)
    await fixture.signIn(to: archive).sessionEnded()
    await archive.append(Array(entries[20...]))
    let synchronizer = await fixture.signIn(to: archive)
    var calls = 0
    while let hole = try await synchronizer.holes(in: fixture.carol).last {
      calls += 1
      #expect(try await synchronizer.fetchMissing(in: hole, of: fixture.carol) == .fetched)
      guard calls < 20 else { break }
    }
    #expect(
      try await fixture.numbers(in: fixture.carol) == (1...600).filter { $0.isMultiple(of: 3) })
    // Not a message of anybody else was asked for, and bob's hole is still one.
    #expect(await archive.queries.suffix(calls).allSatisfy { $0.with == fixture.carol })
    #expect(try await synchronizer.holes(in: fixture.bob).count == 1)
    await synchronizer.fillHoles()
    #expect(try await fixture.numbers() == (1...600).filter { !$0.isMultiple(of: 3) })
    #expect(try await synchronizer.holes(in: fixture.carol).isEmpty)
  }

  @Test(arguments: [true, false])
  func `how much is missing is shown where the server reports it`(reportsCount: Bool) async throws {
    let (fixture, archive) = try await away(580, reportsCount: reportsCount)
    let synchronizer = await fixture.signIn(to: archive)
    let hole = try #require(try await synchronizer.holes(in: fixture.bob).first)
    #expect(hole.count == nil)
    let counted = await synchronizer.counted(hole, in: fixture.bob)
    #expect(counted.count == (reportsCount ? 430 : nil))
    #expect(counted.after == hole.after && counted.before == hole.before)
    await synchronizer.sessionEnded()
    #expect(await synchronizer.counted(hole, in: fixture.bob) == hole)
    #expect(try await synchronizer.fetchMissing(in: hole, of: fixture.bob) == .offline)
  }

  @Test(arguments: ScriptedArchive.UnknownID.allCases)
  func `what the server has deleted closes the hole at the archive's beginning`(
    _ unknownID: ScriptedArchive.UnknownID
  ) async throws {
    let (fixture, archive) = try await away(580, unknownID: unknownID)
    let synchronizer = await fixture.signIn(to: archive)
    await archive.removeFirst(500)
    await synchronizer.fillHoles()
    #expect(try await synchronizer.holes(in: fixture.bob).isEmpty)
    #expect(try await fixture.numbers() == Array(1...120) + Array(501...600))
    #expect(try await synchronizer.fetchOlder(in: fixture.bob) == .beginning)
  }

  @Test func `a hole that the server does not fill is not asked for without end`() async throws {
    let (fixture, archive) = try await away(580)
    let synchronizer = await fixture.signIn(to: archive)
    await archive.fail(with: StanzaError(.auth, .forbidden))
    let before = await archive.queries.count
    await synchronizer.fillHoles()
    #expect(await archive.queries.count - before < 3)
    #expect(try await synchronizer.holes(in: fixture.bob).count == 1)
  }

  @Test func `a missing message that another client has answered counts as read`() async throws {
    let fixture = try await ArchiveFixture()
    let archive = ScriptedArchive(account: fixture.account, entries: fixture.entries(1...20))
    await fixture.signIn(to: archive).sessionEnded()
    await archive.append(
      (21...600).map {
        $0 == 560
          ? fixture.entry($0, from: fixture.account.with(resource: "phone"), to: fixture.bob)
          : fixture.entry($0)
      })
    await fixture.signInAndFill(to: archive)
    #expect(try await fixture.numbers() == Array(1...600))
    let unread = try await fixture.database.conversations.conversation(fixture.bob)?.unread
    #expect(unread == 40)
  }

  @Test func `what came before the archive was ever read may have something missing behind it`()
    async throws
  {
    let fixture = try await ArchiveFixture()
    let archive = ScriptedArchive(account: fixture.account, entries: fixture.entries(1...600))
    let receiver = MessageReceiver(
      account: fixture.account, store: fixture.database.messages, hub: fixture.hub, log: .none,
      now: { fixture.now })
    // Two sessions that the server began with what it had kept, and that ended before anything
    // else.
    for numbers in [101...120, 301...310] {
      await receiver.connectionOpened()
      await receiver.receive(
        fixture.entries(numbers).map { fixture.delayed($0) })
    }
    let synchronizer = await fixture.signIn(to: archive)
    #expect(
      try await fixture.numbers() == Array(101...120) + Array(301...310) + Array(551...600))
    let hole = try await synchronizer.holes(in: fixture.bob)
    #expect(
      hole.map(\.after) == [ArchiveFixture.stamp(310)]
        && hole.map(\.before) == [ArchiveFixture.stamp(551)])
    await synchronizer.fillHoles()
    let numbers = try await fixture.numbers()
    // Down to the first one that is known; what is before it is fetched when somebody looks there.
    #expect(numbers == Array((numbers.first ?? 0)...600) && numbers.first ?? 0 <= 101)
    #expect(try await synchronizer.holes(in: fixture.bob).isEmpty)
  }

  /// Messages that another client has received meanwhile are only in the archive; the server
  /// delivers all others at once.
  @Test(arguments: [false, true])
  func `before offline messages something may be missing until the archive has answered`(
    isKilled: Bool
  ) async throws {
    let (fixture, archive) = try await away(40)
    await archive.fail(from: await archive.queries.count, with: ChannelError.notConnected)
    let (receiver, synchronizer) = (fixture.receiver(), fixture.synchronizer(sleep: { _ in }))
    let kept = fixture.entries(41...60).map { fixture.delayed($0) }
    await receiver.connectionOpened()
    await synchronizer.connectionOpened()
    await synchronizer.copies.sessionStarted(.fixture, over: archive)
    await synchronizer.channelOpened(archive)
    await synchronizer.receive(kept, storedBy: receiver)
    #expect(try await fixture.numbers() == Array(1...20) + Array(41...60))
    let events = fixture.hub.events()
    let hole = HistoryHole(after: ArchiveFixture.stamp(20), before: ArchiveFixture.stamp(41))
    if !isKilled {
      await synchronizer.sessionStarted(.fixture, over: archive)
      #expect(try await synchronizer.holes(in: fixture.bob) == [hole])
      let reported = await events.published(on: fixture.hub).contains {
        if case .archiveChanged(fixture.account) = $0 { true } else { false }
      }
      #expect(reported)
      // Nobody asks for it over and over.
      #expect(try await synchronizer.fetchMissing(in: hole, of: fixture.bob) == .offline)
    }
    #expect(try await fixture.isHonest())
    await archive.recover()
    let next = await fixture.signIn(to: archive)
    #expect(try await next.holes(in: fixture.bob).isEmpty)
    #expect(try await fixture.numbers() == Array(1...60))
    #expect(try await fixture.isHonest())
  }

  @Test func `messages of one second that were missed between two deliveries get their positions`()
    async throws
  {
    let fixture = try await ArchiveFixture()
    let second = ArchiveFixture.stamp(1)
    let entries = fixture.entries(1...300).map {
      ScriptedArchive.Entry(id: $0.id, stamp: second, message: $0.message)
    }
    let archive = ScriptedArchive(account: fixture.account, entries: entries)
    let receiver = MessageReceiver(
      account: fixture.account, store: fixture.database.messages, hub: fixture.hub, log: .none,
      now: { fixture.now })
    for numbers in [0...19, 200...219] {
      await receiver.connectionOpened()
      await receiver.receive(entries[numbers].map { fixture.delayed($0) })
    }
    await fixture.signInAndFill(to: archive)
    let numbers = try await fixture.numbers()
    #expect(numbers == Array(1...300))
  }

  @Test func `messages of one second keep the archive's order across a hole`() async throws {
    let fixture = try await ArchiveFixture()
    let entries = (1...400).map { number in
      ScriptedArchive.Entry(
        id: "a\(number)", stamp: ArchiveFixture.stamp(0), message: fixture.entry(number).message)
    }
    let archive = ScriptedArchive(account: fixture.account, entries: Array(entries[..<20]))
    await fixture.signIn(to: archive).sessionEnded()
    await archive.append(Array(entries[20...]))
    await fixture.signInAndFill(to: archive)
    #expect(try await fixture.numbers() == Array(1...400))
  }
}
