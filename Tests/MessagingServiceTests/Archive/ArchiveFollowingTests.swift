import Foundation
import NatterCore
import SQLite
import TestSupport
import Testing
import XML
import XMPP

@testable import MessagingService
@testable import Storage

/// Stored messages are not requested again: the work that a page causes is known before its
/// messages count as known.
@Suite struct ArchiveFollowingTests {
  /// Looks at the database when it is notified of a page.
  private actor Witness: ArchiveFollowing {
    private let database: AccountDatabase
    private let conversation: JID
    private(set) var log: [String] = []

    init(_ database: AccountDatabase, _ conversation: JID) {
      (self.database, self.conversation) = (database, conversation)
    }

    private func note(_ name: String, _ messages: [MessageStanza], _ areNews: Bool) async {
      let stored = (try? await database.timeline.latest(999, in: conversation).count) ?? -1
      log.append("\(name) \(messages.count)\(areNews ? " news" : ""): \(stored) are stored")
    }
    func archiving(_ messages: [MessageStanza], areNews: Bool) async {
      await note("before", messages, areNews)
    }
    func archived(_ messages: [MessageStanza], areNews: Bool) async {
      await note("after", messages, areNews)
    }
  }

  @Test func `a page is reported before it is stored and after`() async throws {
    let fixture = try await ArchiveFixture()
    let archive = ScriptedArchive(account: fixture.account, entries: fixture.entries(1...3))
    let witness = Witness(fixture.database, fixture.bob)
    await fixture.synchronizer(followers: [witness]).sessionStarted(.fixture, over: archive)
    for number in 4...5 { await archive.append([fixture.entry(number)]) }
    await fixture.synchronizer(followers: [witness]).sessionStarted(.fixture, over: archive)
    #expect(
      await witness.log == [
        "before 3: 0 are stored", "after 3: 3 are stored",
        "before 2 news: 3 are stored", "after 2 news: 5 are stored",
      ])
  }

  @Test func `a page during which the program ends is read again, with the receipts on it`()
    async throws
  {
    let (fixture, archive) = try await waitingForReceipt()
    // The program ends in the moment in which the page is to be stored.
    let ender = Ender()
    let synchronizer = fixture.synchronizer(followers: [ender])
    let work = Task { await synchronizer.sessionStarted(.fixture, over: archive) }
    await ender.end(work)
    await work.value
    #expect(
      try await fixture.database.archiveRanges.ranges(of: fixture.account, with: nil).last?.end.id
        == "a3")
    // What was not stored is read again.
    await fixture.signIn(to: archive).sessionEnded()
    #expect(
      try await fixture.database.timeline.latest(1, in: fixture.bob).first?.delivery == .delivered)
    #expect(
      try await fixture.database.archiveRanges.ranges(of: fixture.account, with: nil).last?.end.id
        == "r9")
  }

  /// An account that knows its archive up to the third entry, and one in which a receipt for its
  /// own `m9` came since.
  private func waitingForReceipt() async throws -> (ArchiveFixture, ScriptedArchive) {
    let fixture = try await ArchiveFixture()
    let archive = ScriptedArchive(account: fixture.account, entries: fixture.entries(1...3))
    await fixture.signIn(to: archive).sessionEnded()
    _ = try await fixture.database.outbox.enqueue(
      body: "text 9", to: fixture.bob, from: fixture.account, originID: "m9", at: fixture.now)
    try await fixture.database.outbox.markAttempted(["m9"], at: fixture.now)
    _ = try await fixture.database.outbox.setDelivery(.sent, ofOriginID: "m9")
    let receipt = Element(
      "message", Namespace.client,
      ["type": "chat", "from": "\(fixture.bob)/x", "to": fixture.account.description],
      [Element("received", Namespace.receipts, ["id": "m9"])])
    await archive.append([
      .init(id: "r9", stamp: ArchiveFixture.stamp(9), message: MessageStanza(receipt))
    ])
    return (fixture, archive)
  }

  @Test func `a receipt that cannot be stored is read again, with its page`() async throws {
    let (fixture, archive) = try await waitingForReceipt()
    try await fixture.database.database.write { db in
      try db.runScript(
        """
        CREATE TRIGGER no_room BEFORE UPDATE OF delivery ON message
          BEGIN SELECT RAISE (ABORT, 'no room'); END;
        """)
    }
    await fixture.signIn(to: archive).sessionEnded()
    #expect(
      try await fixture.database.archiveRanges.ranges(of: fixture.account, with: nil).last?.end.id
        == "a3")
    try await fixture.database.database.write { try $0.runScript("DROP TRIGGER no_room") }
    await fixture.signIn(to: archive).sessionEnded()
    #expect(
      try await fixture.database.timeline.latest(1, in: fixture.bob).first?.delivery == .delivered)
    #expect(
      try await fixture.database.archiveRanges.ranges(of: fixture.account, with: nil).last?.end.id
        == "r9")
  }

  /// Has the work cancelled that notifies it of a page.
  private actor Ender: ArchiveFollowing {
    private let (reported, report) = AsyncStream<Void>.makeStream()
    private let (ended, end) = AsyncStream<Void>.makeStream()
    func archiving(_ messages: [MessageStanza], areNews: Bool) async {
      report.yield()
      for await _ in ended { break }
    }
    func archived(_ messages: [MessageStanza], areNews: Bool) async {}
    func end(_ work: Task<Void, Never>) async {
      for await _ in reported { break }
      work.cancel()
      end.yield()
    }
  }
}
