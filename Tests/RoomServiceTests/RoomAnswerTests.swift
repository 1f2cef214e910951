import NatterCore
import TestSupport
import Testing
import XML
import XMPP

@testable import RoomService

// What a room says of what it was asked for with a message.
extension AccountRoomsTests {
  private var carol: JID { JID(local: "carol", domain: "example.org") }
  private var forbidden: Element { StanzaError(.auth, .forbidden, text: "ask bob").element }

  /// Runs `body` while the user is in the room.
  private func inside(
    _ features: [String] = [], _ body: (AccountRooms, RoomChannel) async throws -> Void
  ) async throws {
    let service = service(MemoryBookmarkStore())
    let channel = RoomChannel(features: features)
    try await working(service) {
      try await enter(service, channel)
      try await until { await service.rooms().first?.phase == .inside }
      try await body(service, channel)
    }
  }

  private func lastMessage(_ channel: RoomChannel) async throws -> Element {
    try #require(await channel.sent.last { $0.name == "message" })
  }

  /// Asks for the subject "Day" and has `answers` come.
  /// - Parameter answers: gets the id that was asked with.
  private func asks(
    _ service: AccountRooms, _ channel: RoomChannel, _ answers: (String) -> [Stanza]
  ) async throws {
    async let asked: Void = service.setSubject("Day", of: room)
    try await until { await channel.sent.contains { $0.first("subject", Namespace.client) != nil } }
    let id = try #require(try await lastMessage(channel)["id"])
    await service.receive(answers(id))
    try await asked
  }

  private func subject(_ text: String, from nick: String, id: String?) -> Stanza {
    .message(
      from: "\(room)/\(nick)", id: id, type: "groupchat",
      Element("subject", Namespace.client, text: text))
  }

  @Test func `a subject that the room does not take is an error, with the room's text`()
    async throws
  {
    try await inside { service, channel in
      await #expect(
        throws: NatterError(
          .refused, "stanza.forbidden", ["text": "ask bob", "speaker": room.description])
      ) {
        try await asks(service, channel) { id in
          [
            // Neither another occupant's message nor one about another message ends it.
            .message(
              from: "\(room)/bob", id: id, type: "error", StanzaError(.auth, .conflict).element),
            .message(
              from: room.description, id: "1", type: "error",
              StanzaError(.auth, .conflict).element),
            .message(from: room.description, id: id, type: "error", forbidden),
          ]
        }
      }
      #expect(await service.rooms().first?.subject == "Night")
    }
  }

  /// Prosody's has no id.
  @Test(arguments: [true, false])
  func `a subject is set once the room has sent it on`(isNamed: Bool) async throws {
    try await inside { service, channel in
      try await asks(service, channel) { id in
        [subject("Day", from: "alice", id: isNamed ? id : nil)]
      }
      #expect(await service.rooms().first?.subject == "Day")
      // It is so: nobody is asked.
      let count = await channel.sent.count
      try await service.setSubject("Day", of: room)
      #expect(await channel.sent.count == count)
    }
  }

  @Test func `the same text of another occupant is no answer, and without a connection comes none`()
    async throws
  {
    try await inside { service, channel in
      async let asked: Void = service.setSubject("Day", of: room)
      try await until {
        await channel.sent.contains { $0.first("subject", Namespace.client) != nil }
      }
      await service.receive([subject("Day", from: "bob", id: nil)])
      await service.sessionEnded()
      do {
        try await asked
        Issue.record("another's subject was taken for an answer")
      } catch { #expect((error as? NatterError)?.key == "error.offline") }
    }
  }

  @Test func `a room that does not answer at all is waited for with a limit`() async throws {
    let service = AccountRooms.fixture(
      hub: hub, clock: RoomClock(sleep: { if $0 != .seconds(30) { try await Pause.endless($0) } }))
    try await working(service) {
      try await enter(service, RoomChannel())
      await #expect(throws: NatterError(.unexpected, "error.noAnswer")) {
        try await service.setSubject("Day", of: room)
      }
    }
  }

  @Test(arguments: [true, false])
  func `a refused invitation is shown in the room, with who does not get it and why`(
    isMediated: Bool
  ) async throws {
    try await inside(isMediated ? ["muc_membersonly"] : ["muc_moderated"]) { service, channel in
      try await service.invite(carol, to: room, reason: nil)
      let sent = try await lastMessage(channel)
      let id = try #require(sent["id"])
      #expect(sent["to"] == (isMediated ? room : carol).description)
      let events = hub.events()
      func refusal(from: String, id: String) -> Stanza {
        .message(from: from, id: id, type: "error", forbidden)
      }
      let sender = isMediated ? room.description : carol.description
      await service.receive([
        refusal(from: "\(room)/bob", id: id), refusal(from: "mallory@example.org", id: id),
        refusal(from: sender, id: "1"),
      ])
      for _ in 0..<2 { await service.receive([refusal(from: sender, id: id)]) }
      let reported = await incidents(in: events)
      #expect(
        reported == [
          RoomIncident(
            room: room, .notInvited,
            [
              "name": carol.description, "reason": "forbidden", "text": "ask bob",
              "speaker": sender,
            ])
        ])
      // In the next visit nothing is known of it.
      try await service.invite(carol, to: room, reason: nil)
      let second = try #require(try await lastMessage(channel)["id"])
      #expect(second != id)
      try await service.leave(room)
      let later = hub.events()
      await service.receive([refusal(from: sender, id: second)])
      #expect(await incidents(in: later).isEmpty)
    }
  }
}
