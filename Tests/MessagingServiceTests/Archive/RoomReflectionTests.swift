import Foundation
import NatterCore
import Storage
import TestSupport
import Testing
import XML
import XMPP

@testable import MessagingService

/// A room gives back what is typed there, also while its archive is still read.
@Suite struct RoomReflectionTests {
  private let room = JID(local: "hill", domain: "rooms.example.org")

  enum Circumstance: CaseIterable {
    case newSession, isTakenUp
    /// It is stored, and the one that reads the archive hears of it after the page.
    case heardLate
  }

  /// It was written before the room was joined, and is reflected before any other message: the
  /// archive's messages are older all the same.
  @Test(arguments: [1, 2], Circumstance.allCases)
  func `a message that waited for the room comes after all that its archive holds`(
    page: Int, circumstance: Circumstance
  ) async throws {
    let (fixture, archive) = try await visited()
    try await type([90], fixture)
    let next = try await visit(2, after: 11, fixture, archive)
    // The session may be another run's, or one that was cut off: the room is entered anew all the
    // same.
    if circumstance == .isTakenUp { await next.sessionTakenUp(underWay: []) }
    let own = try await send([90], fixture)[0].reflected(by: room)
    let receiver = fixture.receiver()
    let asked = await archive.queries.count
    await archive.before { number in
      guard number == asked + page else { return }
      await receiver.receive([own])
      if circumstance != .heardLate { await next.receive([own]) }
    }
    await next.roomEntered(room, as: view(2), hasArchive: true)
    if circumstance == .heardLate { await next.receive([own]) }
    let numbers = try await fixture.numbers(in: room)
    #expect(numbers == Array(1...11) + [90])
  }

  /// So much was missed that the newest page is behind a gap, which is filled later.
  @Test func `a message that is reflected while the newest page is read comes after that`()
    async throws
  {
    let (fixture, archive) = try await visited()
    try await type([90], fixture)
    let next = try await visit(2, after: 26, fixture, archive)
    let own = try await send([90], fixture)[0].reflected(by: room)
    let receiver = fixture.receiver()
    let asked = await archive.queries.count
    // Two pages are read forwards.
    await archive.before { number in
      if number == asked + 3 { await next.receive([own], storedBy: receiver) }
    }
    await next.roomEntered(room, as: view(2), hasArchive: true)
    #expect(try await fixture.numbers(in: room) == Array(1...13) + Array(22...26) + [90])
    await next.fillHoles()
    #expect(try await fixture.numbers(in: room) == Array(1...26) + [90])
  }

  /// The archive has it too by the time it is read, and a page ends in the midst of it, with which
  /// the session ends. What had been said last before that may be lost to the archive (ejabberd's
  /// Mnesia after `kill -9`).
  @Test(arguments: [1, 2], [[1, 2, 3], [1, 2]])
  func `what waited for the room stays together where its archive is read in two sessions`(
    page: Int, kept: [Int]
  ) async throws {
    let (fixture, archive) = try await visited()
    let typed = Array(90...93)
    try await type(typed, fixture)
    let second = try await visit(2, after: 11, fixture, archive)
    let room = room
    let said = (kept + Array(4...11)).map { ScriptedArchive.Entry.said($0, in: room) }
    await archive.setEntries(said, of: room)
    let own = try await send(typed, fixture)
    let receiver = fixture.receiver()
    let asked = await archive.queries.count
    await archive.before { number in
      guard number == asked + page else { return }
      await archive.setEntries(said + own, of: room)
      let given = own.map { $0.reflected(by: room) }
      await second.receive(given, storedBy: receiver)
    }
    await archive.fail(from: asked + 3, with: ChannelError.notConnected)
    await second.roomEntered(room, as: view(2), hasArchive: true)
    await second.sessionEnded()
    await archive.recover()
    let third = try await visit(3, after: 11, fixture, archive)
    await archive.setEntries(said + own + [.said(95, in: room)], of: room)
    await third.roomEntered(room, as: view(3), hasArchive: true)
    await third.fillHoles()
    let numbers = try await fixture.numbers(in: room)
    #expect(numbers == Array(1...11) + typed + [95])
  }

  /// Returns a room that the user visited once, while three messages were sent.
  private func visited() async throws -> (ArchiveFixture, ScriptedArchive) {
    let fixture = try await ArchiveFixture()
    _ = try await fixture.database.conversations.open(room, kind: .room)
    let archive = ScriptedArchive(account: fixture.account, pageLimit: 5)
    let synchronizer = try await visit(1, after: 3, fixture, archive)
    await synchronizer.roomEntered(room, as: view(1), hasArchive: true)
    await synchronizer.sessionEnded()
    return (fixture, archive)
  }

  private func view(_ visit: Int) -> RoomMembership { RoomMembership(nick: "alice", visit: visit) }

  private func originID(_ number: Int) -> String { "5f1c2d3e-9a8b-4c\(number)" }

  /// Queues own messages for the room.
  private func type(_ numbers: [Int], _ fixture: ArchiveFixture) async throws {
    for number in numbers {
      _ = try await fixture.database.outbox.enqueue(
        body: "text \(number)", to: room, from: fixture.account, originID: originID(number),
        at: fixture.now + 1)
    }
  }

  /// Marks queued messages as sent.
  /// - Returns: the messages as the room's archive has them.
  private func send(
    _ numbers: [Int], _ fixture: ArchiveFixture
  ) async throws -> [ScriptedArchive.Entry] {
    try await fixture.database.outbox.markAttempted(numbers.map(originID), at: fixture.now)
    return numbers.map { number in
      .said(number, in: room, by: "alice") { $0["id"] = originID(number) }
    }
  }

  /// Signs in when `count` messages were said, and is about to enter the room.
  private func visit(
    _ number: Int, after count: Int, _ fixture: ArchiveFixture, _ archive: ScriptedArchive
  ) async throws -> ArchiveService {
    await archive.setEntries((1...count).map { .said($0, in: room) }, of: room)
    fixture.clock.set(ArchiveFixture.stamp(count + 1))
    fixture.rooms.set(view(number), of: room)
    return await fixture.signIn(to: archive)
  }
}
