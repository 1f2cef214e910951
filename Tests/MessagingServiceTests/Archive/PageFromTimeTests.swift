import Foundation
import NatterCore
import Storage
import TestSupport
import Testing
import XMPP

@testable import MessagingService

/// flows.md, "Receiving": a page from a day on, or from the beginning.
@Suite struct PageFromTimeTests {
  private func archive(_ fixture: ArchiveFixture, _ last: Int = 1000) -> ScriptedArchive {
    ScriptedArchive(account: fixture.account, entries: fixture.entries(1...last))
  }

  @Test func `a page from a day on is there, and what is missing after it is a gap`() async throws {
    let fixture = try await ArchiveFixture()
    let archive = archive(fixture)
    let synchronizer = await fixture.signIn(to: archive)
    let newest = try await fixture.numbers()
    #expect(
      try await synchronizer.fetch(from: ArchiveFixture.stamp(300), in: fixture.bob) == .fetched)
    #expect(try await fixture.numbers() == Array(300...349) + newest)
    #expect(await archive.queries.last?.start == ArchiveFixture.stamp(300))
    #expect(try await synchronizer.holes(in: fixture.bob).count == 1)
    #expect(try await fixture.isHonest())
    // The gap waits until the user looks at it, and what is there is not asked for again.
    await synchronizer.fillHoles()
    let queries = await archive.queries.count
    #expect(
      try await synchronizer.fetch(from: ArchiveFixture.stamp(310), in: fixture.bob) == .fetched)
    #expect(await archive.queries.count == queries)
    #expect(try await fixture.numbers() == Array(300...349) + newest)
    for _ in 0..<30 {
      guard let hole = try await synchronizer.holes(in: fixture.bob).last else { break }
      #expect(try await synchronizer.fetchMissing(in: hole, of: fixture.bob) == .fetched)
    }
    #expect(try await fixture.numbers() == Array(300...1000))
    #expect(try await synchronizer.fetchOlder(in: fixture.bob) == .fetched)
    #expect(try await fixture.numbers() == Array(250...1000))
    #expect(try await fixture.isHonest())
  }

  @Test func `from the beginning, nothing is older`() async throws {
    let fixture = try await ArchiveFixture()
    let synchronizer = await fixture.signIn(to: archive(fixture))
    let newest = try await fixture.numbers()
    #expect(try await synchronizer.fetch(from: nil, in: fixture.bob) == .fetched)
    #expect(try await fixture.numbers() == Array(1...50) + newest)
    #expect(try await fixture.isHonest())
    #expect(try await synchronizer.fetchOlder(in: fixture.bob) == .beginning)
    #expect(try await fixture.numbers() == Array(1...50) + newest)
  }

  @Test func `a page that meets the known part leaves no gap`() async throws {
    let fixture = try await ArchiveFixture()
    let synchronizer = await fixture.signIn(to: archive(fixture))
    let first = try #require(try await fixture.numbers().first)
    let start = ArchiveFixture.stamp(first - 20)
    #expect(try await synchronizer.fetch(from: start, in: fixture.bob) == .fetched)
    #expect(try await fixture.numbers() == Array((first - 20)...1000))
    #expect(try await synchronizer.holes(in: fixture.bob) == [])
    #expect(try await synchronizer.fetchOlder(in: fixture.bob) == .fetched)
    #expect(try await fixture.isHonest())
  }

  /// Thousands of messages of one second were fetched on both sides.
  @Test func `in a gap that is shorter than the page, gaps stay on both sides`() async throws {
    let fixture = try await ArchiveFixture()
    let (start, end) = (ArchiveFixture.stamp(1), ArchiveFixture.stamp(1) + 0.000_1)
    let between = fixture.entries(2...200).map { entry in
      ScriptedArchive.Entry(id: entry.id, stamp: start + 0.000_05, message: entry.message)
    }
    let last = fixture.entry(300)
    let archive = ScriptedArchive(
      account: fixture.account,
      entries: [fixture.entry(1)] + between
        + [.init(id: last.id, stamp: end, message: last.message), fixture.entry(301)],
      pageLimit: 100)
    for (id, time) in [("a1", start), ("a300", end)] {
      let point = ArchivePosition(id: id, at: time)
      _ = try await fixture.database.archiveRanges.save(
        ArchiveRange(
          archive: fixture.account, start: point, end: point, reachesBeginning: false))
    }
    let synchronizer = await fixture.signIn(to: archive)
    #expect(try await synchronizer.fetch(from: start + 0.000_04, in: fixture.bob) == .fetched)
    #expect(try await fixture.numbers() == Array(2...101) + [301])
    #expect(try await synchronizer.holes(in: fixture.bob).count == 2)
    for _ in 0..<10 {
      guard let hole = try await synchronizer.holes(in: fixture.bob).last else { break }
      #expect(try await synchronizer.fetchMissing(in: hole, of: fixture.bob) == .fetched)
    }
    #expect(try await synchronizer.holes(in: fixture.bob) == [])
    #expect(try await fixture.numbers() == Array(1...200) + [301])
  }

  /// In the same session where the user looks, and in the next one by itself.
  @Test(arguments: [true, false])
  func `what fills the gap after such a page does not become unread`(isLookedAt: Bool) async throws
  {
    let fixture = try await ArchiveFixture()
    let archive = archive(fixture)
    let synchronizer = await fixture.signIn(to: archive)
    // One more is unread, behind all of it.
    await archive.append([fixture.entry(1001)])
    await synchronizer.receive(
      [fixture.live(fixture.entry(1001))], storedBy: fixture.receiver())
    #expect(try await synchronizer.fetch(from: nil, in: fixture.bob) == .fetched)
    let events = fixture.hub.events()
    if isLookedAt {
      for _ in 0..<30 {
        guard let hole = try await synchronizer.holes(in: fixture.bob).last else { break }
        #expect(try await synchronizer.fetchMissing(in: hole, of: fixture.bob) == .fetched)
      }
    } else {
      await synchronizer.sessionEnded()
      await fixture.signInAndFill(to: archive)
    }
    #expect(try await fixture.numbers() == Array(1...1001))
    let bob = try #require(try await fixture.database.conversations.conversation(fixture.bob))
    let last = try await fixture.database.timeline.latest(1, in: fixture.bob).first
    #expect(bob.unread == 1 && bob.firstUnread == last?.position)
    for event in await events.published(on: fixture.hub) {
      if case .historyStored(_, let missed) = event { #expect(!missed) }
    }
  }

  @Test func `in the room's archive it is the same`() async throws {
    let fixture = try await ArchiveFixture()
    let room = JID(local: "garden", domain: "rooms.example.org")
    let archive = archive(fixture, 1)
    await archive.setEntries((1...400).map { .said($0, in: room) }, of: room)
    _ = try await fixture.database.conversations.open(room, kind: .room)
    let view = RoomMembership(nick: "alice", visit: 1)
    fixture.rooms.set(view, of: room)
    let synchronizer = await fixture.signIn(to: archive)
    await synchronizer.roomEntered(room, as: view, hasArchive: true)
    let newest = try await fixture.numbers(in: room)
    #expect(try await synchronizer.fetch(from: ArchiveFixture.stamp(100), in: room) == .fetched)
    #expect(try await fixture.numbers(in: room) == Array(100...149) + newest)
    #expect(try await synchronizer.fetch(from: nil, in: room) == .fetched)
    #expect(try await fixture.numbers(in: room) == Array(1...50) + Array(100...149) + newest)
    #expect(try await fixture.isHonest(in: room))
    await synchronizer.fillHoles()
    #expect(try await fixture.numbers(in: room).count == 100 + newest.count)
  }

  @Test func `without a connection, or from a time that is not in the archive, nothing changes`()
    async throws
  {
    let fixture = try await ArchiveFixture()
    let archive = archive(fixture)
    let synchronizer = await fixture.signIn(to: archive)
    let newest = try await fixture.numbers()
    await archive.fail(with: ChannelError.notConnected)
    let start = ArchiveFixture.stamp(10)
    #expect(try await synchronizer.fetch(from: start, in: fixture.bob) == .offline)
    await archive.recover()
    // After all that is known, there is nothing to fetch.
    #expect(try await synchronizer.fetch(from: fixture.now, in: fixture.bob) == .fetched)
    #expect(try await fixture.numbers() == newest)
  }

  @Test(.timeLimit(.minutes(1)), arguments: [true, false])
  func `before the session is set up nothing is asked, and that can be waited for`(
    isSetUp: Bool
  ) async throws {
    let fixture = try await ArchiveFixture()
    let archive = archive(fixture)
    let synchronizer = fixture.synchronizer()
    await synchronizer.signedIn()
    #expect(await !synchronizer.isSigningIn())
    await synchronizer.channelOpened(archive)
    #expect(await synchronizer.isSigningIn())
    #expect(try await synchronizer.fetchOlder(in: fixture.bob) == .offline)
    #expect(await archive.queries.isEmpty)
    let waiting = Task { await synchronizer.signedIn() }
    if isSetUp { await synchronizer.signIn(to: archive) } else { await synchronizer.sessionEnded() }
    await waiting.value
    #expect(await !synchronizer.isSigningIn())
  }

  @Test(.timeLimit(.minutes(1)))
  func `what is stored does not wait for another page of the archive`() async throws {
    let fixture = try await ArchiveFixture()
    let archive = archive(fixture)
    let synchronizer = await fixture.signIn(to: archive)
    let (bob, newest) = (fixture.bob, try await fixture.numbers())
    let (queries, asked) = AsyncStream<Void>.makeStream()
    let (gate, opened) = AsyncStream<Void>.makeStream()
    await archive.before { _ in
      asked.yield()
      for await _ in gate {}
    }
    let older = Task { try await synchronizer.fetchOlder(in: bob) }
    for await _ in queries { break }
    let stored = ArchiveFixture.stamp(try #require(newest.first) + 1)
    #expect(try await synchronizer.fetch(from: stored, in: bob) == .fetched)
    #expect(try await fixture.numbers() == newest)
    opened.finish()
    #expect(try await older.value == .fetched)
  }
}
