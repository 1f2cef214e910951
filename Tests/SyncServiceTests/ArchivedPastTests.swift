import Foundation
import NatterCore
import Storage
import TestSupport
import Testing
import XMPP

@testable import SyncService

/// What was written before the newest page, by people who are on no list.
@Suite struct ArchivedPastTests {
  private let fixture: ArchiveFixture
  private let archive: ScriptedArchive

  init() async throws {
    fixture = try await ArchiveFixture()
    archive = ScriptedArchive(account: fixture.account, pageLimit: 20)
    await archive.append([fixture.entry(1, from: fixture.carol.with(resource: "x"))])
    await archive.append(fixture.entries(2...99))
    fixture.clock.set(ArchiveFixture.stamp(100))
  }

  @Test func `a new program finds who wrote long before the others`() async throws {
    let synchronizer = await fixture.signIn(to: archive)
    let work = Task { await synchronizer.run() }
    try await until { try await fixture.numbers(in: fixture.carol) == [1] }
    work.cancel()
    #expect(try await fixture.numbers() == Array(2...99))
    let ranges = try await fixture.database.messages.ranges(of: fixture.account, with: nil)
    #expect(ranges.map(\.reachesBeginning) == [true])
    let carol = try await fixture.database.conversations.conversation(fixture.carol)
    #expect(carol?.unread == 0)
  }

  @Test func `what is newer goes first, and it ends at the beginning`() async throws {
    let synchronizer = await fixture.signIn(to: archive)
    #expect(try await fixture.numbers() == Array(80...99))
    #expect(await synchronizer.readPast())
    #expect(try await fixture.numbers() == Array(60...99))
    for _ in 0..<2 { #expect(await synchronizer.readPast()) }
    #expect(await !synchronizer.readPast())
    let asked = await archive.queries.count
    #expect(await !synchronizer.readPast())
    #expect(await archive.queries.count == asked)
  }

  @Test func `interrupted, the next session goes on where it was`() async throws {
    let first = await fixture.signIn(to: archive)
    #expect(await first.readPast())
    await archive.fail(with: ChannelError.notConnected)
    #expect(await !first.readPast())
    await first.sessionEnded()
    await archive.recover()
    let next = await fixture.signIn(to: archive)
    while await next.readPast() {}
    #expect(try await fixture.numbers() == Array(2...99))
    #expect(try await fixture.synchronizer().holes(in: fixture.bob).isEmpty)
  }

  @Test func `what is older than a season stays until somebody looks at it`() async throws {
    fixture.clock.set(ArchiveFixture.stamp(79).addingTimeInterval(90 * 86400 + 1))
    let synchronizer = await fixture.signIn(to: archive)
    #expect(await synchronizer.readPast())
    #expect(await !synchronizer.readPast())
    #expect(try await fixture.numbers() == Array(60...99))
  }
}
