import Foundation
import NatterCore
import TestSupport
import Testing
import XML
import XMPP

@testable import RoomService

/// A room that does not let its archive be read has to send its history itself when it is joined
/// the next time.
@Suite struct RefusingRoomTests {
  private let room = RoomStanza.room
  private let store = MemoryBookmarkStore(
    newest: Date(timeIntervalSince1970: 1_000_000), newestID: "r20")

  /// As after a start of the program.
  private func service() -> AccountRooms {
    AccountRooms.fixture(store, readsArchives: true)
  }

  private func knock(_ channel: RoomChannel) async throws -> [String] {
    try await until { await channel.sent.contains { $0.name == "presence" } }
    let history = await channel.sent.first { $0.name == "presence" }?
      .first("x", XEP0045.namespace)?.first("history", XEP0045.namespace)
    return (history?.attributes ?? [:]).keys.sorted()
  }

  private func welcome(_ sent: [MessageStanza] = []) -> [Stanza] {
    [.presence(RoomStanza.presence("alice", codes: [110]))] + sent.map { .message($0) }
      + [.message(RoomStanza.subject("Night"))]
  }

  private func sent(_ id: String?, body: String? = "text", isLate: Bool = true) -> MessageStanza {
    var element = Element(
      "message", Namespace.client, ["type": "groupchat", "from": "\(room)/bob"])
    if let body { element.append(Element("body", Namespace.client, text: body)) }
    if let id {
      element.append(
        Element("stanza-id", Namespace.stanzaIDs, ["by": room.description, "id": id]))
    }
    if isLate {
      element.append(
        Element(
          "delay", Namespace.delay,
          ["from": room.description, "stamp": "2023-11-14T22:13:20Z"]))
    }
    return MessageStanza(element)
  }

  @Test func `a restart does not forget it, and the visit after that asks the archive anew`()
    async throws
  {
    let channels = (0..<3).map { _ in RoomChannel(features: [Namespace.archive]) }
    let first = service()
    try await working(first) {
      await first.sessionStarted(.fixture, over: channels[0])
      try await first.join(room, nick: nil, password: nil)
      let asked = try await knock(channels[0])
      #expect(asked == ["maxstanzas"])
      await first.receive(welcome())
      await first.archiveRefused(of: room)
    }
    #expect(await store.stored[room]?.refusesArchive == true)
    let second = service()
    try await working(second) {
      await second.sessionStarted(.fixture, over: channels[1])
      let asked = try await knock(channels[1])
      #expect(asked == ["seconds"])
      await second.receive(welcome())
      try await until { await store.stored[room]?.refusesArchive == false }
    }
    let third = service()
    try await working(third) {
      await third.sessionStarted(.fixture, over: channels[2])
      let asked = try await knock(channels[2])
      #expect(asked == ["maxstanzas"])
    }
  }

  @Test func `which stretch of its past a room has sent is known once it has sent all`()
    async throws
  {
    let service = service()
    let channel = RoomChannel(features: [Namespace.archive])
    try await working(service) {
      await service.sessionStarted(.fixture, over: channel)
      try await service.join(room, nick: nil, password: nil)
      _ = try await knock(channel)
      let past = [
        sent(nil), sent("r19", body: nil), sent("r20"), sent("r21"), sent(nil), sent("r22"),
      ]
      let stanzas = welcome(past)
      await service.receive(Array(stanzas.dropLast()))
      #expect(await service.views()[room]?.sent == nil)
      await service.receive(Array(stanzas.suffix(1)))
      await service.receive([.message(sent("r23", isLate: false)), .message(sent("r24"))])
      #expect(
        await service.views()[room]?.sent == JoinHistory(first: "r20", last: "r22", known: "r20"))
      // Another visit has its own.
      await service.sessionEnded()
      let next = RoomChannel(features: [Namespace.archive])
      await service.sessionStarted(.fixture, over: next)
      _ = try await knock(next)
      await service.receive(welcome([sent("r30")]))
      #expect(await service.views()[room]?.sent == JoinHistory(first: "r30", last: "r30"))
    }
  }
}
