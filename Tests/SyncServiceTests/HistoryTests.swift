import Foundation
import NatterCore
import Storage
import TestSupport
import Testing
import XMPP

@testable import SyncService

/// FLOWS.md 5, "scrolling back", beyond what the database holds.
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
    let bodies = try await fixture.bodies()
    #expect(Set(bodies).count == bodies.count && bodies.count >= 100)
  }

  @Test func `without a connection it says so`() async throws {
    let fixture = try await ArchiveFixture()
    #expect(try await fixture.synchronizer().fetchOlder(in: fixture.bob) == .offline)
  }
}
