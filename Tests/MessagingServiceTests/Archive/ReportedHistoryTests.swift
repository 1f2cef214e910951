import Foundation
import NatterCore
import Storage
import TestSupport
import Testing
import XML
import XMPP

@testable import MessagingService

/// A room that does not let its archive be read has sent its history itself when it was joined: the
/// missing messages are before that, and are reported once.
@Suite struct ReportedHistoryTests {
  private let room = JID(local: "hill", domain: "rooms.example.org")
  private let fixture: ArchiveFixture
  private let archive: ScriptedArchive

  init() async throws {
    fixture = try await ArchiveFixture()
    _ = try await fixture.database.conversations.open(room, kind: .room)
    archive = ScriptedArchive(account: fixture.account)
  }

  private func said(_ numbers: ClosedRange<Int>) -> [ScriptedArchive.Entry] {
    numbers.map { .said($0, in: room) }
  }

  /// Up to 20 it is known from a visit in which the archive was read.
  private func beginning() async throws {
    await archive.setEntries(said(1...20), of: room)
    fixture.clock.set(ArchiveFixture.stamp(21))
    let view = RoomMembership(nick: "alice", hasPast: true, visit: 1)
    fixture.rooms.set(view, of: room)
    let first = await fixture.signIn(to: archive)
    await first.roomEntered(room, as: view, hasArchive: true)
    await first.sessionEnded()
  }

  /// The room is joined at `now`, sends `sent` as its history, and refuses its archive.
  /// - Parameter known: the newest message that was known before.
  private func visit(
    _ number: Int, sent: ClosedRange<Int>, known: Int, at now: Int
  ) async -> ArchiveService {
    await archive.setEntries(said(1...(now - 1)), of: room)
    fixture.clock.set(ArchiveFixture.stamp(now))
    let view = RoomMembership(
      nick: "alice", hasPast: true, visit: number,
      sent: JoinHistory(
        first: "r\(sent.lowerBound)", last: "r\(sent.upperBound)",
        known: sent.contains(known) ? "r\(known)" : nil))
    fixture.rooms.set(view, of: room)
    let synchronizer = await fixture.signIn(to: archive)
    let stanzas = said(sent).map { entry -> Stanza in
      var element = entry.reflected(by: room).element
      element.append(
        Element(
          "delay", Namespace.delay,
          ["from": room.description, "stamp": XEP0082DateTime.text(for: entry.stamp)]))
      return .message(MessageStanza(element))
    }
    await fixture.receiver().receive(stanzas)
    await archive.fail(with: StanzaError(.auth, .forbidden))
    await synchronizer.roomEntered(room, as: view, hasArchive: true)
    return synchronizer
  }

  private func lines(_ synchronizer: ArchiveService) async throws -> [Date] {
    try await synchronizer.holes(in: room).map(\.after)
  }

  @Test func `what is missing lies before what the room has sent, and is shown once`() async throws
  {
    try await beginning()
    let synchronizer = await visit(2, sent: 26...29, known: 20, at: 30)
    #expect(try await lines(synchronizer) == [ArchiveFixture.stamp(20)])
    for number in 30...31 { await fixture.say(number, in: room, archive, to: synchronizer) }
    #expect(try await lines(synchronizer) == [ArchiveFixture.stamp(20)])
    #expect(try await fixture.isHonest(in: room))
    // So it is after that visit.
    await synchronizer.sessionEnded()
    #expect(try await lines(fixture.synchronizer()) == [ArchiveFixture.stamp(20)])
  }

  @Test func `a room that sends all that came since leaves nothing to be missing`() async throws {
    try await beginning()
    let synchronizer = await visit(2, sent: 18...29, known: 20, at: 30)
    #expect(try await lines(synchronizer).isEmpty)
    await fixture.say(30, in: room, archive, to: synchronizer)
    #expect(try await lines(synchronizer).isEmpty)
    #expect(try await fixture.numbers(in: room) == Array(1...30))
    // The next visit in which it refuses goes on from there, too.
    await synchronizer.sessionEnded()
    await archive.recover()
    let next = await visit(3, sent: 25...39, known: 30, at: 40)
    await fixture.say(40, in: room, archive, to: next)
    #expect(try await lines(next).isEmpty)
    #expect(try await fixture.isHonest(in: room))
  }

  @Test func `visits in which no one speaks have what is missing between them, each once`()
    async throws
  {
    try await beginning()
    await visit(2, sent: 26...29, known: 20, at: 30).sessionEnded()
    await archive.recover()
    let next = await visit(3, sent: 36...39, known: 29, at: 40)
    await fixture.say(40, in: room, archive, to: next)
    #expect(
      try await lines(next) == [ArchiveFixture.stamp(20), ArchiveFixture.stamp(29)])
    #expect(try await fixture.isHonest(in: room))
  }

  @Test func `where it may be read after all, what the room has sent is read as well`() async throws
  {
    try await beginning()
    let synchronizer = await visit(2, sent: 26...29, known: 20, at: 30)
    await fixture.say(30, in: room, archive, to: synchronizer)
    await archive.recover()
    let hole = try #require(try await synchronizer.holes(in: room).first)
    #expect(try await synchronizer.fetchMissing(in: hole, of: room) == .fetched)
    await synchronizer.fillHoles()
    #expect(try await lines(synchronizer).isEmpty)
    await fixture.say(31, in: room, archive, to: synchronizer)
    #expect(try await fixture.numbers(in: room) == Array(1...31))
  }

  @Test func `a clock that was ahead does not hide what is missing`() async throws {
    try await beginning()
    let synchronizer = await visit(2, sent: 26...29, known: 20, at: 30)
    // What came live was stored hours later than it was said.
    await fixture.say(30, in: room, archive, to: synchronizer)
    fixture.clock.set(ArchiveFixture.stamp(200))
    let stanza = ScriptedArchive.Entry.said(31, in: room).reflected(by: room)
    await synchronizer.receive([stanza], storedBy: fixture.receiver())
    await synchronizer.sessionEnded()
    await archive.recover()
    let next = await visit(3, sent: 46...49, known: 31, at: 50)
    #expect(try await lines(next).count == 2)
  }
}
