import Foundation
import NatterCore
import Storage
import TestSupport
import Testing
import XML
import XMPP

@testable import MessagingService

/// flows.md, "Receiving": a hole stays known, whatever the times of what came live around it.
@Suite struct RangesApartTests {
  /// Entries of one second of the server's, whose stamps are whole seconds.
  private func entries(_ numbers: ClosedRange<Int>, of fixture: ArchiveFixture)
    -> [ScriptedArchive.Entry]
  {
    numbers.map {
      let entry = fixture.entry($0)
      return .init(id: entry.id, stamp: ArchiveFixture.stamp(11), message: entry.message)
    }
  }

  /// Live messages have the time of this machine's clock; messages that a server had stored have
  /// its timestamps, and are therefore earlier.
  @Test(arguments: [5, 50, 60])
  func
    `the newest page begins with what came by itself: what is missing before it is known, and comes`(
      kept: Int
    ) async throws
  {
    let fixture = try await ArchiveFixture()
    let archive = ScriptedArchive(account: fixture.account, entries: fixture.entries(1...10))
    fixture.clock.set(ArchiveFixture.stamp(10))
    let first = await fixture.signIn(to: archive)
    let receiver = fixture.receiver()
    fixture.clock.set(ArchiveFixture.stamp(11) + 0.5)
    // A receipt: the archive keeps it, and nobody sees it.
    let receipt = ScriptedArchive.Entry(
      id: "a11", stamp: ArchiveFixture.stamp(11),
      message: MessageStanza(
        Element(
          "message", Namespace.client,
          ["type": "chat", "from": "\(fixture.bob)/x", "to": fixture.account.description],
          [Element("received", "urn:xmpp:receipts", ["id": "o"])])))
    await archive.append([receipt])
    await first.receive([fixture.live(receipt)])
    await first.sessionEnded()
    let missed = entries(12...400, of: fixture)
    await archive.append(missed)

    fixture.clock.set(ArchiveFixture.stamp(11) + 0.9)
    let second = fixture.synchronizer()
    await second.copies.sessionStarted(.fixture, over: archive)
    await receiver.connectionOpened()
    await second.connectionOpened()
    await second.channelOpened(archive)
    for entry in missed.suffix(kept) {
      await second.receive([fixture.delayed(entry)], storedBy: receiver)
    }
    await second.sessionStarted(.fixture, over: archive)
    #expect(try await second.holes(in: fixture.bob).count == 1)
    await second.fillHoles()
    #expect(try await second.holes(in: fixture.bob).isEmpty)
    #expect(try await Set(fixture.numbers()) == Set(1...400).subtracting([11]))
    #expect(try await fixture.numbers() == Array(1...10) + Array(12...400))
  }

  /// Stamps of whole seconds are earlier than what came live in the same second.
  @Test func `a page that meets what came by itself stays apart from the range before that`()
    async throws
  {
    let room = JID(local: "hill", domain: "rooms.example.org")
    let fixture = try await ArchiveFixture()
    let archive = ScriptedArchive(account: fixture.account)
    func said(_ number: Int) -> ScriptedArchive.Entry {
      let entry = ScriptedArchive.Entry.said(number, in: room)
      return number < 10 || number > 500
        ? entry : .init(id: entry.id, stamp: ArchiveFixture.stamp(11), message: entry.message)
    }
    func enter() async throws -> ArchiveService {
      let synchronizer = await fixture.signIn(to: archive)
      await synchronizer.roomEntered(room, as: RoomMembership(nick: "alice"), hasArchive: true)
      return synchronizer
    }
    /// Stores a live message while the code that knows the archive misses it, as when the program
    /// ends.
    func came(_ number: Int, secondsLater: TimeInterval) async throws {
      _ = try await fixture.database.messages.insert([
        IncomingMessage(
          conversation: room, sender: room.with(resource: "bob") ?? room, body: "text \(number)",
          sentAt: ArchiveFixture.stamp(11) + secondsLater, originID: "o\(number)",
          stanzaID: said(number).id)
      ]) { _ in false }
    }
    _ = try await fixture.database.conversations.open(room, kind: .room)
    await archive.setEntries((1...9).map(said), of: room)
    fixture.clock.set(ArchiveFixture.stamp(11) + 0.5)
    let first = try await enter()
    await archive.setEntries((1...10).map(said), of: room)
    await first.receive([said(10).reflected(by: room)])
    try await came(10, secondsLater: 0.5)
    await first.sessionEnded()
    try await came(490, secondsLater: 0.7)
    await archive.setEntries((1...600).map(said), of: room)

    fixture.clock.set(ArchiveFixture.stamp(700))
    let second = try await enter()
    #expect(try await !second.holes(in: room).isEmpty)
    await second.fillHoles()
    #expect(try await second.holes(in: room).isEmpty)
    #expect(try await fixture.numbers(in: room) == Array(1...600))
  }

  @Test
  func `what came right before a session ended does not part a hole from the range before it`()
    async throws
  {
    let fixture = try await ArchiveFixture()
    let archive = ScriptedArchive(account: fixture.account, entries: fixture.entries(1...20))
    fixture.clock.set(ArchiveFixture.stamp(20))
    await fixture.signIn(to: archive).sessionEnded()
    let receiver = fixture.receiver()
    // Stored, and the session's end came before the archive's range took notice.
    fixture.clock.set(ArchiveFixture.stamp(25))
    await archive.append(fixture.entries(21...25))
    await receiver.receive(fixture.entries(21...25).map(fixture.live))
    await archive.append(fixture.entries(26...60))
    // Catching up is cut, and more comes live meanwhile.
    fixture.clock.set(ArchiveFixture.stamp(60))
    await archive.fail(with: ChannelError.notConnected)
    let cut = await fixture.signIn(to: archive)
    fixture.clock.set(ArchiveFixture.stamp(65))
    await archive.append(fixture.entries(61...65))
    let live = fixture.entries(61...65).map(fixture.live)
    await cut.receive(live, storedBy: receiver)
    await cut.sessionEnded()
    await archive.recover()
    await fixture.signInAndFill(to: archive)
    #expect(try await fixture.numbers() == Array(1...65))
    let ranges = try await fixture.database.archiveRanges.ranges(of: fixture.account, with: nil)
    #expect(ranges.map(\.end.id) == ["a65"])
  }
}
