import Foundation
import NatterCore
import Storage
import TestSupport
import Testing
import XMPP

@testable import MessagingService

/// A room announces an archive and does not let it be read: what is missing is known to be, and the
/// room is asked again.
@Suite struct RefusedArchivesTests {
  let room = JID(local: "hill", domain: "rooms.example.org")
  private let forbidden = StanzaError(.auth, .forbidden)

  private func said(_ numbers: ClosedRange<Int>) -> [ScriptedArchive.Entry] {
    numbers.map { .said($0, in: room) }
  }

  /// An account that knows what was said up to 20, and is in the room again at 30, which now
  /// refuses its archive.
  private func refused() async throws -> (
    fixture: ArchiveFixture, archive: ScriptedArchive, synchronizer: ArchiveService
  ) {
    let fixture = try await ArchiveFixture()
    _ = try await fixture.database.conversations.open(room, kind: .room)
    let archive = ScriptedArchive(account: fixture.account)
    await archive.setEntries(said(1...20), of: room)
    fixture.clock.set(ArchiveFixture.stamp(21))
    let view = RoomMembership(nick: "alice", hasPast: true, visit: 1)
    fixture.rooms.set(view, of: room)
    let first = await fixture.signIn(to: archive)
    await first.roomEntered(room, as: view, hasArchive: true)
    await first.sessionEnded()
    await archive.setEntries(said(1...29), of: room)
    fixture.clock.set(ArchiveFixture.stamp(30))
    let second = await fixture.signIn(to: archive)
    await archive.fail(with: forbidden)
    await second.roomEntered(room, as: view, hasArchive: true)
    return (fixture, archive, second)
  }

  @Test func `what was said meanwhile is missing before anybody says more, and after that`()
    async throws
  {
    let (fixture, archive, synchronizer) = try await refused()
    var holes = try await synchronizer.holes(in: room)
    #expect(holes.map(\.after) == [ArchiveFixture.stamp(20)])
    let hole = try #require(holes.first)
    #expect(
      try await synchronizer.fetchMissing(in: hole, of: room)
        == .refused(HistoryRefusal(.forbidden)))
    // The line keeps its position when a message arrives, and its view is notified.
    let events = fixture.hub.events()
    await fixture.say(30, in: room, archive, to: synchronizer)
    await fixture.say(31, in: room, archive, to: synchronizer)
    let sent = await events.published(on: fixture.hub).filter { $0 == .archiveChanged(room) }
    #expect(sent.count == 1)
    holes = try await synchronizer.holes(in: room)
    #expect(holes.map(\.after) == [ArchiveFixture.stamp(20)])
    let numbers = try await fixture.numbers(in: room)
    #expect(numbers == Array(1...20) + [30, 31])
    #expect(try await fixture.isHonest(in: room))
    // Nothing is asked by itself for ever.
    let asked = await archive.queries.count
    await synchronizer.fillHoles()
    #expect(await archive.queries.count == asked)
  }

  @Test func `asked again it gives it, and nothing is missing any more`() async throws {
    let (fixture, archive, synchronizer) = try await refused()
    await fixture.say(30, in: room, archive, to: synchronizer)
    let hole = try #require(try await synchronizer.holes(in: room).first)
    await archive.recover()
    #expect(try await synchronizer.fetchMissing(in: hole, of: room) == .fetched)
    await synchronizer.fillHoles()
    #expect(try await synchronizer.holes(in: room).isEmpty)
    await fixture.say(31, in: room, archive, to: synchronizer)
    let numbers = try await fixture.numbers(in: room)
    #expect(numbers == Array(1...31))
    await synchronizer.sessionEnded()
    let ranges = try await fixture.database.archiveRanges.ranges(of: room, with: nil)
    #expect(ranges.map(\.start.id) == ["r1"] && ranges.map(\.end.id) == ["r31"])
  }

  @Test func `asked again and refused again, what was heard is in one piece`() async throws {
    let (fixture, archive, synchronizer) = try await refused()
    await fixture.say(30, in: room, archive, to: synchronizer)
    for number in 31...33 {
      let hole = try #require(try await synchronizer.holes(in: room).first)
      _ = try await synchronizer.fetchMissing(in: hole, of: room)
      await fixture.say(number, in: room, archive, to: synchronizer)
    }
    #expect(try await synchronizer.holes(in: room).count == 1)
  }

  @Test func `a room of which nothing is known says why its past is not there`() async throws {
    let fixture = try await ArchiveFixture()
    _ = try await fixture.database.conversations.open(room, kind: .room)
    let archive = ScriptedArchive(account: fixture.account)
    await archive.setEntries(said(1...20), of: room)
    let synchronizer = await fixture.signIn(to: archive)
    await archive.fail(with: StanzaError(.cancel, .featureNotImplemented, text: "no such thing"))
    await synchronizer.roomEntered(
      room, as: RoomMembership(nick: "alice", visit: 1), hasArchive: true)
    #expect(
      try await synchronizer.fetchOlder(in: room)
        == .refused(HistoryRefusal(.absent, reason: "no such thing")))
    await archive.recover()
    #expect(try await synchronizer.fetchOlder(in: room) == .fetched)
    let numbers = try await fixture.numbers(in: room)
    #expect(numbers == Array(1...20))
  }

  @Test func `joining rooms reports it, and the next visit asks anew`() async throws {
    let (fixture, archive, synchronizer) = try await refused()
    #expect(fixture.rooms.refused == [room])
    await archive.recover()
    await synchronizer.roomLeft(room)
    #expect(try await synchronizer.holes(in: room).isEmpty)
    await synchronizer.roomEntered(
      room, as: RoomMembership(nick: "alice", hasPast: true, visit: 2), hasArchive: true)
    let numbers = try await fixture.numbers(in: room)
    #expect(numbers == Array(1...29))
  }

  @Test func `an archive of one's own that is not there is the beginning, as before`() async throws
  {
    let fixture = try await ArchiveFixture()
    let archive = ScriptedArchive(account: fixture.account)
    await archive.fail(with: StanzaError(.cancel, .serviceUnavailable))
    let synchronizer = await fixture.signIn(to: archive)
    #expect(try await synchronizer.fetchOlder(in: fixture.bob) == .beginning)
  }
}
