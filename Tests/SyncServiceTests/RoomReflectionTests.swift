import Foundation
import NatterCore
import ReceiveService
import Storage
import TestSupport
import Testing
import XMPP

@testable import SyncService

/// A room gives back what is typed there, also while its archive is still read.
@Suite struct RoomReflectionTests {
  private let room = JID(local: "hill", domain: "rooms.example.org")

  /// It was typed before the room was entered, and is given back before anything else is said: what the archive tells of was said
  /// before all the same.
  @Test(arguments: [1, 2])
  func `what waited for the room comes after all that its archive tells of`(page: Int) async throws
  {
    let fixture = try await ArchiveFixture()
    _ = try await fixture.database.conversations.open(room, kind: .room)
    let archive = ScriptedArchive(account: fixture.account, pageLimit: 5)
    let synchronizer = try await visit(1, after: 3, fixture, archive)
    await synchronizer.roomEntered(room, as: view(1), hasArchive: true)
    await synchronizer.sessionEnded()

    let id = "5f1c2d3e-9a8b-4c7d"
    _ = try await fixture.database.messages.enqueue(
      body: "text 90", to: room, from: fixture.account, originID: id, at: fixture.now + 1)
    let next = try await visit(2, after: 11, fixture, archive)
    try await fixture.database.messages.markAttempted([id], at: fixture.now)
    let receiver = fixture.receiver()
    let asked = await archive.queries.count
    let own = ScriptedArchive.Entry.said(90, in: room, by: "alice") { $0["id"] = id }
      .reflected(by: room)
    await archive.before { number in
      guard number == asked + page else { return }
      await receiver.receive([own])
      await next.receive([own])
    }
    await next.roomEntered(room, as: view(2), hasArchive: true)
    let numbers = try await fixture.numbers(in: room)
    #expect(numbers == Array(1...11) + [90])
  }

  private func view(_ visit: Int) -> RoomView { RoomView(nick: "alice", visit: visit) }

  /// Signs in when `count` messages were said, and is about to enter the room.
  private func visit(
    _ number: Int, after count: Int, _ fixture: ArchiveFixture, _ archive: ScriptedArchive
  ) async throws -> ArchiveSynchronizer {
    await archive.setEntries((1...count).map { .said($0, in: room) }, of: room)
    fixture.clock.set(ArchiveFixture.stamp(count + 1))
    fixture.rooms.set(view(number), of: room)
    return await fixture.signIn(to: archive)
  }
}
