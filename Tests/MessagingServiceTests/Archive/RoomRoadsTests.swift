import Diagnostics
import Foundation
import NatterCore
import Storage
import TestSupport
import Testing
import XML
import XMPP

@testable import MessagingService

/// Messages of a room arrive live, in the room's history on joining, and from its archive: each is
/// stored once, whatever the order, and however often the connection is lost.
@Suite struct RoomRoadsTests {
  let room = JID(local: "hill", domain: "rooms.example.org")

  private func entry(_ number: Int) -> ScriptedArchive.Entry {
    let element = Element(
      "message", Namespace.client,
      ["type": "groupchat", "id": "r\(number)", "from": "\(room)/n\(number % 3)"],
      [Element("body", Namespace.client, text: "text \(number)")])
    return .init(
      id: "s\(number)", stamp: ArchiveFixture.stamp(number), message: MessageStanza(element))
  }

  /// As the room sends it to those inside.
  private func reflected(_ entry: ScriptedArchive.Entry, isLate: Bool = false) -> (
    Stanza, IncomingMessage
  ) {
    var element = entry.message.element
    element.append(
      Element("stanza-id", Namespace.stanzaIDs, ["by": room.description, "id": entry.id]))
    if isLate {
      element.append(
        Element(
          "delay", Namespace.delay,
          ["stamp": XEP0082DateTime.text(for: entry.stamp), "from": room.description]))
    }
    let message = IncomingMessage(
      conversation: room, sender: entry.message.from ?? room, body: entry.message.body ?? "",
      sentAt: entry.stamp, originID: entry.message.id, stanzaID: entry.id)
    return (.message(MessageStanza(element)), message)
  }

  @Test(arguments: 1...20)
  func `said, repeated on entering, and archived: stored once`(seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    let fixture = try await ArchiveFixture()
    _ = try await fixture.database.conversations.open(room, kind: .room)
    let archive = ScriptedArchive(
      account: fixture.account, pageLimit: 7,
      unknownID: seed.isMultiple(of: 2) ? .refused : .ignored)
    var count = 0
    var missed = 0
    for visit in 1...6 {
      // Said while nobody here listens.
      count += Int.random(in: 0...40, using: &random)
      await archive.setEntries((0...count).dropFirst().map(entry), of: room)
      fixture.clock.set(ArchiveFixture.stamp(count))
      await archive.fail(
        from: await archive.queries.count
          + (visit == 6 ? 1000 : Int.random(in: 1...6, using: &random)),
        with: ChannelError.notConnected)
      let synchronizer = await fixture.signIn(to: archive)
      // The room's history, some of it known.
      for number in stride(
        from: max(1, count - Int.random(in: 0...9, using: &random)), through: count, by: 1)
      {
        let (stanza, message) = reflected(entry(number), isLate: true)
        _ = try await fixture.database.messages.insert([message]) { _ in true }
        await synchronizer.receive([stanza])
      }
      await synchronizer.roomEntered(room, as: RoomMembership(nick: "n9"), hasArchive: true)
      for _ in 0..<Int.random(in: 0...8, using: &random) {
        count += 1
        fixture.clock.set(ArchiveFixture.stamp(count))
        await archive.setEntries((1...count).map(entry), of: room)
        let (stanza, message) = reflected(entry(count))
        _ = try await fixture.database.messages.insert([message]) { _ in true }
        await synchronizer.receive([stanza])
      }
      if Bool.random(using: &random) { await synchronizer.fillHoles() }
      if visit == 6 {
        await archive.recover()
        await synchronizer.fillHoles()
        while try await synchronizer.fetchOlder(in: room) == .fetched {}
      }
      await synchronizer.sessionEnded()
      let numbers = try await fixture.numbers(in: room)
      #expect(Set(numbers).count == numbers.count, "seed \(seed), visit \(visit)")
      missed = count - numbers.count
    }
    #expect(missed == 0, "seed \(seed)")
    #expect(try await fixture.numbers(in: room) == Array((0...count).dropFirst()), "seed \(seed)")
    #expect(try await fixture.synchronizer().holes(in: room).isEmpty)
  }
}
