import NatterCore
import Storage
import TestSupport
import Testing
import XMPP

@testable import MessagingService

/// The newest that was said with each contact, on a profile that knows nothing
/// (flows.md, "Data sync").
@Suite struct FirstListTests {
  private func listed(_ jid: JID) -> ListedConversation {
    ListedConversation(jid: jid, kind: .direct, opens: false)
  }

  /// Carol has said something, and bob much since.
  private func archive(_ fixture: ArchiveFixture) -> ScriptedArchive {
    ScriptedArchive(
      account: fixture.account,
      entries: (1...3).map { fixture.entry($0, from: fixture.carol) } + fixture.entries(4...300))
  }

  @Test func `a contact who wrote before the newest page is on the list, and asked for once`()
    async throws
  {
    let fixture = try await ArchiveFixture()
    let archive = archive(fixture)
    let synchronizer = await fixture.signIn(to: archive)
    #expect(try await fixture.numbers(in: fixture.carol) == [])
    try await synchronizer.describe(listed(fixture.carol), over: archive)
    #expect(try await fixture.numbers(in: fixture.carol) == [1, 2, 3])
    let carol = try #require(try await fixture.database.conversations.conversation(fixture.carol))
    #expect(carol.unread == 0)
    let asked = await archive.queries.count
    try await synchronizer.describe(listed(fixture.carol), over: archive)
    // Of bob the newest is known.
    try await synchronizer.describe(listed(fixture.bob), over: archive)
    #expect(await archive.queries.count == asked)
    #expect(try await synchronizer.fetchOlder(in: fixture.carol) == .beginning)
    #expect(try await fixture.isHonest())
  }

  @Test
  func `of a contact who wrote much only the newest is read, and the rest when it is looked for`()
    async throws
  {
    let fixture = try await ArchiveFixture()
    let archive = ScriptedArchive(
      account: fixture.account,
      entries: (1...90).map { fixture.entry($0, from: fixture.carol) } + fixture.entries(91...300))
    let synchronizer = await fixture.signIn(to: archive)
    try await synchronizer.describe(listed(fixture.carol), over: archive)
    #expect(try await fixture.numbers(in: fixture.carol) == Array(71...90))
    while try await synchronizer.fetchOlder(in: fixture.carol) == .fetched {}
    #expect(try await fixture.numbers(in: fixture.carol) == Array(1...90))
  }

  @Test func `a contact who never wrote is asked for once, and where all is known none is`()
    async throws
  {
    let fixture = try await ArchiveFixture()
    let dave = JID(local: "dave", domain: "example.org")
    let archive = archive(fixture)
    let synchronizer = await fixture.signIn(to: archive)
    try await synchronizer.describe(listed(dave), over: archive)
    let asked = await archive.queries.count
    try await synchronizer.describe(listed(dave), over: archive)
    #expect(await archive.queries.count == asked)
    #expect(try await fixture.database.conversations.conversation(dave) == nil)

    let other = try await ArchiveFixture()
    let small = ScriptedArchive(account: other.account, entries: other.entries(1...5))
    let whole = await other.signIn(to: small)
    let before = await small.queries.count
    try await whole.describe(listed(other.carol), over: small)
    #expect(await small.queries.count == before)
  }

  /// Over another connection, or when the user finds that it answers again.
  @Test(arguments: [false, true])
  func `what could not be asked is asked by the next sync`(isAskedAgain: Bool) async throws {
    let fixture = try await ArchiveFixture()
    let archive = archive(fixture)
    let synchronizer = await fixture.signIn(to: archive)
    await archive.fail(from: await archive.queries.count + 1, with: ChannelError.notConnected)
    await #expect(throws: ChannelError.notConnected) {
      try await synchronizer.describe(listed(fixture.carol), over: archive)
    }
    // Where one got no answer the others are not asked: each would wait as long.
    let asked = await archive.queries.count
    await archive.recover()
    try await synchronizer.describe(listed(fixture.carol), over: archive)
    #expect(await archive.queries.count == asked)
    if isAskedAgain {
      #expect(try await synchronizer.fetchOlder(in: fixture.bob) == .fetched)
    } else {
      await synchronizer.connectionOpened()
    }
    try await synchronizer.describe(listed(fixture.carol), over: archive)
    #expect(try await fixture.numbers(in: fixture.carol) == [1, 2, 3])
  }
}
