import Foundation
import NatterCore
import Storage
import TestSupport
import Testing
import XMPP

@testable import MessagingService

/// People on no list, who wrote before the newest page of the archive.
@Suite struct UnlistedCorrespondentsTests {
  private let fixture: ArchiveFixture
  private let archive: ScriptedArchive

  init() async throws {
    fixture = try await ArchiveFixture()
    archive = ScriptedArchive(account: fixture.account, pageLimit: 20)
    await archive.append(
      (1...2).map { fixture.entry($0, from: fixture.carol.with(resource: "x")) })
    await archive.append(fixture.entries(3...99))
    fixture.clock.set(ArchiveFixture.stamp(100))
  }

  private func signIn() async -> ArchiveService {
    let synchronizer = fixture.synchronizer(memory: fixture.database.archiveProgress)
    await synchronizer.signIn(to: archive)
    return synchronizer
  }

  @Test func `a new device finds who wrote long before the others, and stores nothing else`()
    async throws
  {
    let synchronizer = await signIn()
    let work = Task { await synchronizer.run() }
    try await until { try await fixture.numbers(in: fixture.carol) == [1, 2] }
    work.cancel()
    #expect(try await fixture.numbers() == Array(80...99))
    let carol = try await fixture.database.conversations.conversation(fixture.carol)
    #expect(carol?.unread == 0)
    // What comes before the newest of bob's is known to be missing still.
    #expect(try await synchronizer.fetchOlder(in: fixture.bob) == .fetched)
    #expect(try await fixture.numbers() == Array(60...99))
  }

  @Test func `it ends at the beginning, and is not begun again`() async throws {
    let synchronizer = await signIn()
    for _ in 0..<3 { #expect(await synchronizer.searchPast()) }
    #expect(await !synchronizer.searchPast())
    #expect(try await fixture.numbers(in: fixture.carol) == [1, 2])
    let next = await signIn()
    let asked = await archive.queries.count
    #expect(await !next.searchPast())
    #expect(await archive.queries.count == asked)
  }

  @Test func `interrupted, it goes on where it was`() async throws {
    let first = await signIn()
    for _ in 0..<2 { #expect(await first.searchPast()) }
    await archive.fail(with: ChannelError.notConnected)
    #expect(await !first.searchPast())
    await first.sessionEnded()
    await archive.recover()
    let next = await signIn()
    #expect(await next.searchPast())
    #expect(await archive.queries.last?.page.position == .before("a40"))
    #expect(await !next.searchPast())
    #expect(try await fixture.numbers(in: fixture.carol) == [1, 2])
  }

  @Test func `a contact who could not be asked for is asked for again`() async throws {
    let first = await signIn()
    for _ in 0..<3 { #expect(await first.searchPast()) }
    await archive.fail(from: archive.queries.count + 2, with: ChannelError.notConnected)
    #expect(await !first.searchPast())
    #expect(try await fixture.numbers(in: fixture.carol) == [])
    await archive.recover()
    await first.sessionEnded()
    let next = await signIn()
    while await next.searchPast() {}
    #expect(try await fixture.numbers(in: fixture.carol) == [1, 2])
  }

  @Test func `pages on which nothing is a message are passed over`() async throws {
    let synchronizer = await signIn()
    await archive.leaveOut(Set((20...79).map { "a\($0)" }))
    for _ in 0..<3 { #expect(await synchronizer.searchPast()) }
    #expect(await !synchronizer.searchPast())
    #expect(try await fixture.numbers(in: fixture.carol) == [1, 2])
  }

  @Test func `messages older than a season stay until the user looks for them`() async throws {
    fixture.clock.set(ArchiveFixture.stamp(79).addingTimeInterval(90 * 86400 + 1))
    let synchronizer = await signIn()
    #expect(await synchronizer.searchPast())
    #expect(await !synchronizer.searchPast())
    #expect(try await fixture.numbers(in: fixture.carol) == [])
  }
}
