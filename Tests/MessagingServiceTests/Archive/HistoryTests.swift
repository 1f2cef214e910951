import Foundation
import NatterCore
import Storage
import TestSupport
import Testing
import XMPP

@testable import MessagingService

/// flows.md, "Receiving", beyond what the database holds.
@Suite struct HistoryTests {
  @Test(arguments: ScriptedArchive.UnknownID.allCases)
  func `beginning of the archive reached: no, each call brings a page until it is`(
    _ unknownID: ScriptedArchive.UnknownID
  ) async throws {
    let fixture = try await ArchiveFixture()
    let archive = ScriptedArchive(
      account: fixture.account, entries: fixture.entries(1...330), unknownID: unknownID)
    let synchronizer = await fixture.signIn(to: archive)
    var calls = 0
    while try await synchronizer.fetchOlder(in: fixture.bob) == .fetched { calls += 1 }
    #expect(calls == 6)
    #expect(try await fixture.bodies() == fixture.texts(1...330))
    // What is known to be all is not asked for again, and the next start knows too.
    let queries = await archive.queries.count
    #expect(try await synchronizer.fetchOlder(in: fixture.bob) == .beginning)
    #expect(try await fixture.synchronizer().fetchOlder(in: fixture.bob) == .beginning)
    #expect(await archive.queries.count == queries)
  }

  @Test func `only the conversation's own messages are asked for`() async throws {
    let fixture = try await ArchiveFixture()
    let entries = (1...300).map {
      fixture.entry($0, from: $0.isMultiple(of: 100) ? fixture.carol : fixture.bob)
    }
    let archive = ScriptedArchive(account: fixture.account, entries: entries)
    let synchronizer = await fixture.signIn(to: archive)
    #expect(try await synchronizer.fetchOlder(in: fixture.carol) == .fetched)
    #expect(try await fixture.bodies(in: fixture.carol) == ["text 100", "text 200", "text 300"])
    #expect(await archive.queries.count == 2)
  }

  @Test func `interrupted, it goes on from the last stored page`() async throws {
    let fixture = try await ArchiveFixture()
    let archive = ScriptedArchive(account: fixture.account, entries: fixture.entries(1...200))
    var synchronizer = await fixture.signIn(to: archive)
    #expect(try await synchronizer.fetchOlder(in: fixture.bob) == .fetched)
    await archive.fail(with: ChannelError.notConnected)
    #expect(try await synchronizer.fetchOlder(in: fixture.bob) == .offline)
    await archive.recover()
    await synchronizer.sessionEnded()
    synchronizer = await fixture.signIn(to: archive)
    #expect(try await synchronizer.fetchOlder(in: fixture.bob) == .fetched)
    #expect(try await fixture.bodies() == fixture.texts(51...200))
  }

  @Test(arguments: ScriptedArchive.UnknownID.allCases)
  func `an id that is gone from the archive is replaced by its time`(
    _ unknownID: ScriptedArchive.UnknownID
  ) async throws {
    let fixture = try await ArchiveFixture()
    let archive = ScriptedArchive(account: fixture.account, entries: fixture.entries(1...2000))
    _ = await fixture.signIn(to: archive)
    let moved = ScriptedArchive(
      account: fixture.account, entries: (1...2000).map { fixture.entry($0, prefix: "b") },
      unknownID: unknownID)
    let synchronizer = fixture.synchronizer()
    await moved.fail(with: ChannelError.timedOut)
    await synchronizer.sessionStarted(.fixture, over: moved)
    await moved.recover()
    #expect(try await synchronizer.fetchOlder(in: fixture.bob) == .fetched)
    #expect(try await synchronizer.fetchOlder(in: fixture.bob) == .fetched)
    let numbers = try await fixture.numbers()
    #expect(numbers == Array((2001 - numbers.count)...2000) && numbers.count >= 100)
  }

  @Test(arguments: ScriptedArchive.UnknownID.allCases)
  func `a message that is gone from the archive keeps its position among those of its second`(
    _ unknownID: ScriptedArchive.UnknownID
  ) async throws {
    let fixture = try await ArchiveFixture()
    func entries(_ numbers: some Sequence<Int>) -> [ScriptedArchive.Entry] {
      numbers.map { number in
        let entry = fixture.entry(number)
        return .init(
          id: entry.id, stamp: ArchiveFixture.stamp(0) + Double(number) / 20,
          message: entry.message)
      }
    }
    let archive = ScriptedArchive(account: fixture.account, entries: entries(1...330))
    let before = await fixture.signIn(to: archive)
    #expect(try await before.fetchOlder(in: fixture.bob) == .fetched)
    await before.sessionEnded()
    let first = try #require(try await fixture.numbers().first)
    // Only what the known part begins with is gone.
    let emptied = ScriptedArchive(
      account: fixture.account, entries: entries((1...330).filter { $0 != first }),
      unknownID: unknownID)
    let synchronizer = await fixture.signIn(to: emptied)
    while try await synchronizer.fetchOlder(in: fixture.bob) == .fetched {}
    #expect(try await fixture.numbers() == Array(1...330))
  }

  /// Prosody reports whole seconds, and messages of one second differ by microseconds here.
  @Test(arguments: ScriptedArchive.UnknownID.allCases, [1, 7, 40, 200])
  func `an id that is gone, and many messages in its second: none is passed over`(
    _ unknownID: ScriptedArchive.UnknownID, perSecond: Int
  ) async throws {
    let fixture = try await ArchiveFixture()
    func entries(_ prefix: String) -> [ScriptedArchive.Entry] {
      (1...330).map { number in
        // Elsewhere than by its id nothing says that it is the same: its time is moved to where
        // there is room.
        let entry = fixture.unique(fixture.entry(number, prefix: prefix))
        return .init(
          id: entry.id, stamp: ArchiveFixture.stamp(0) + Double(number / perSecond),
          message: entry.message)
      }
    }
    let archive = ScriptedArchive(account: fixture.account, entries: entries("a"))
    let before = await fixture.signIn(to: archive)
    // The end of what is known is in the middle of a second, and before its stamp.
    #expect(try await before.fetchOlder(in: fixture.bob) == .fetched)
    await before.sessionEnded()
    let moved = ScriptedArchive(
      account: fixture.account, entries: entries("b"), unknownID: unknownID)
    await moved.fail(with: ChannelError.timedOut)
    let synchronizer = await fixture.signIn(to: moved)
    await moved.recover()
    while try await synchronizer.fetchOlder(in: fixture.bob) == .fetched {}
    let numbers1 = try await fixture.numbers()
    #expect(numbers1 == Array(1...330))
    #expect(await moved.queries.count < 30)
  }

  @Test func `ever fetched anything? no: the newest page comes, and nothing of it is unread`()
    async throws
  {
    let fixture = try await ArchiveFixture()
    let archive = ScriptedArchive(account: fixture.account, entries: fixture.entries(1...200))
    await archive.fail(with: ChannelError.timedOut)
    let synchronizer = await fixture.signIn(to: archive)
    await archive.recover()
    #expect(try await fixture.database.archiveRanges.ranges(of: fixture.account, with: nil).isEmpty)
    #expect(try await synchronizer.fetchOlder(in: fixture.bob) == .fetched)
    let numbers2 = try await fixture.numbers()
    #expect(numbers2 == Array(151...200))
    #expect(try await fixture.database.conversations.conversation(fixture.bob)?.unread == 0)
    #expect(try await synchronizer.fetchOlder(in: fixture.bob) == .fetched)
    let numbers3 = try await fixture.numbers()
    #expect(numbers3 == Array(101...200))
  }

  @Test func `without a connection it says so`() async throws {
    let fixture = try await ArchiveFixture()
    #expect(try await fixture.synchronizer().fetchOlder(in: fixture.bob) == .offline)
  }
}
