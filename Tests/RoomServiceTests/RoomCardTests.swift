import Foundation
import NatterCore
import TestSupport
import Testing
import XML
import XMPP

@testable import RoomService

/// The description, name and picture of a room: the group info of data sync (flows.md).
@Suite struct RoomCardTests {
  let room = RoomStanza.room
  private let picture = String(repeating: "ab", count: 20)

  /// A room that says `fields` of itself.
  private func channel(_ fields: [String: String], name: String? = nil) -> RoomChannel {
    let answer = answer(fields, name: name)
    return RoomChannel { $0.first("query", Namespace.discoInfo) != nil ? answer : nil }
  }

  private func answer(_ fields: [String: String], name: String? = nil) -> Element {
    let found = XEP0030Discovery(
      identities: [.init(category: "conference", type: "text", name: name)],
      features: [XEP0045.namespace],
      forms: [
        XEP0004DataForm(
          .result,
          fields: [.init("FORM_TYPE", values: ["http://jabber.org/protocol/muc#roominfo"])]
            + fields.map { .init("muc#roominfo_\($0.key)", values: [$0.value]) })
      ])
    return Element("iq", Namespace.client, ["type": "result"], [found.element()])
  }

  private func enter(_ service: AccountRooms, _ channel: RoomChannel) async throws {
    await service.sessionStarted(.fixture, over: channel)
    try await service.join(room, nick: nil, password: nil)
    try await until { await channel.sent.contains { $0.name == "presence" } }
    await service.receive([
      .presence(RoomStanza.presence("alice", codes: [110])), .message(RoomStanza.subject("Night")),
    ])
  }

  /// A presence of the room itself.
  private func own(photo: String?) -> Stanza { presence(from: room.description, photo: photo) }

  private func presence(from: String, photo: String?) -> Stanza {
    let space = "vcard-temp:x:update"
    return .presence(
      PresenceStanza(
        Element(
          "presence", Namespace.client, ["from": from],
          [Element("x", space, [:], photo.map { [Element("photo", space, text: $0)] } ?? [])])))
  }

  @Test func `group info: the room's description is kept, reported, and known at the next start`()
    async throws
  {
    let store = MemoryBookmarkStore()
    let service = AccountRooms.fixture(store)
    let words = String(repeating: "a", count: 2000)
    try await working(service) {
      try await enter(service, channel(["description": words, "avatarhash": picture.uppercased()]))
      let known = await service.rooms().first
      #expect(known?.about == String(words.prefix(1000)) && known?.pictureID == picture)
      #expect(await store.stored[room]?.about == known?.about)
    }
    let next = AccountRooms.fixture(
      MemoryBookmarkStore(try #require(await store.stored[room])))
    #expect(await next.rooms().first?.about.count == 1000)
    #expect(await next.rooms().first?.pictureID == picture)
  }

  @Test func `group info: no more of a name and a description is kept than a list can show`()
    async throws
  {
    let service = AccountRooms.fixture()
    // One character, however long it is.
    let long = "a" + String(repeating: "\u{301}", count: 5000)
    try await working(service) {
      try await enter(service, channel(["description": long], name: long))
      let known = try #require(await service.rooms().first)
      #expect(known.about.unicodeScalars.count == 1000)
      #expect(known.name?.utf8.count == 1023)
    }
  }

  @Test func `group info: the room's picture is the one in its own presence`() async throws {
    let store = MemoryBookmarkStore()
    let service = AccountRooms.fixture(store)
    try await working(service) {
      try await enter(service, channel([:]))
      await service.receive([own(photo: picture)])
      #expect(await service.rooms().first?.pictureID == picture)
      #expect(await store.stored[room]?.pictureID == picture)
      // Nothing is said of it, or what is no hash.
      await service.receive([own(photo: nil), own(photo: "../../etc/passwd")])
      #expect(await store.stored[room]?.pictureID == picture)
      // Nobody inside speaks for the room.
      await service.receive([presence(from: "\(room)/bob", photo: "")])
      #expect(await store.stored[room]?.pictureID == picture)
      await service.receive([own(photo: "")])
      #expect(await store.stored[room]?.pictureID == nil)
      #expect(await service.rooms().first?.pictureID == nil)
    }
  }

  @Test func `a picture that is announced while the room is asked counts, not the answer`()
    async throws
  {
    let (service, room) = (AccountRooms.fixture(), room)
    let old = answer(["description": "Night", "avatarhash": String(repeating: "cd", count: 20)])
    let asks: @Sendable (Element) -> Bool = {
      $0["to"] == room.description && $0.first("query", Namespace.discoInfo) != nil
    }
    let held = HeldChannel(holding: asks) {
      asks($0) ? old : Element("iq", Namespace.client, ["type": "result"])
    }
    try await working(service) {
      await service.sessionStarted(.fixture, over: held)
      try await service.join(room, nick: nil, password: nil)
      await held.waitsForRequest()
      await service.receive([own(photo: picture)])
      await held.release()
      try await until { await service.rooms().first?.about == "Night" }
      #expect(await service.rooms().first?.pictureID == picture)
    }
  }

  @Test func `a room that refused its archive is to send its past itself the next time`()
    async throws
  {
    let service = AccountRooms.fixture(
      MemoryBookmarkStore(newest: Date(timeIntervalSince1970: 1_000_000)), readsArchives: true)
    let channels = (0..<3).map { _ in RoomChannel(features: [Namespace.archive]) }
    try await working(service) {
      var asked: [String] = []
      for (visit, channel) in channels.enumerated() {
        if visit == 0 {
          try await enter(service, channel)
        } else {
          await service.sessionEnded()
          await service.sessionStarted(.fixture, over: channel)
          try await until { await channel.sent.contains { $0.name == "presence" } }
          await service.receive([
            .presence(RoomStanza.presence("alice", codes: [110])),
            .message(RoomStanza.subject("Night")),
          ])
        }
        let history = await channel.sent.first { $0.name == "presence" }?
          .first("x", XEP0045.namespace)?.first("history", XEP0045.namespace)
        asked += (history?.attributes ?? [:]).keys.sorted()
        if visit == 0 { await service.archiveRefused(of: room) }
      }
      // Where it may be read after all, it is.
      #expect(asked == ["maxstanzas", "seconds", "maxstanzas"])
    }
  }
}
