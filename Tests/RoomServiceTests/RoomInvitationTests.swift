import Diagnostics
import Foundation
import NatterCore
import Synchronization
import TestSupport
import Testing
import XML
import XMPP

@testable import RoomService

// Invitations into rooms.
extension AccountRoomsTests {
  /// Has the service apply what the inbox of commands makes of an invitation.
  private func receiveInvitation(_ service: AccountRooms, _ stanza: Stanza) async throws {
    guard case .message(let message) = stanza else { return }
    try await service.apply(
      AccountEvent(
        id: "i", isKept: true, kind: .roomInvitation, sender: message.from,
        stanza: message.element))
  }

  /// A direct invitation into the room, with the password "sesame".
  private var invitationWithPassword: Stanza {
    .message(
      from: "bob@example.org/x", type: "normal",
      Element("x", XEP0249.namespace, ["jid": room.description, "password": "sesame"]))
  }

  @Test func `an invitation waits for an answer, and is declined through the room`() async throws {
    let service = service(MemoryBookmarkStore())
    let channel = RoomChannel()
    let events = hub.events()
    await service.sessionStarted(.fixture, over: channel)
    let invite = Element(
      "invite", XEP0045.user, ["from": "bob@example.org/x"],
      [Element("reason", XEP0045.user, text: "come")])
    try await receiveInvitation(
      service,
      .message(
        from: room.description, type: "normal", Element("x", XEP0045.user, [:], [invite])))
    let pending = await service.invitations()
    #expect(pending.map(\.reason) == ["come"] && pending.first?.isMediated == true)
    #expect(await events.published(on: hub).contains(.roomInvitation(pending[0])))
    try await service.decline(pending[0])
    let answer = await channel.sent.last?.first("x", XEP0045.user)?.first("decline", XEP0045.user)
    #expect(answer?["to"] == "bob@example.org")
    #expect(await service.invitations().isEmpty)
  }

  @Test func `that an invited user declines is reported, also once one has left`()
    async throws
  {
    let service = service(MemoryBookmarkStore())
    let channel = RoomChannel()
    try await working(service) {
      try await enter(service, channel)
      let word = Element(
        "x", XEP0045.user, [:],
        [
          Element(
            "decline", XEP0045.user, ["from": "carol@example.org/x"],
            [Element("reason", XEP0045.user, text: "too late")])
        ])
      for isInside in [true, false] {
        if !isInside { try await service.leave(room) }
        let events = hub.events()
        // Not by an occupant of the room, nor by another room.
        await service.receive([
          .message(from: "\(room)/bob", type: "normal", word),
          .message(from: "other@rooms.example.org", type: "normal", word),
          .message(from: room.description, type: "normal", word),
        ])
        let reported = await incidents(in: events)
        #expect(
          reported == [
            RoomIncident(
              room: room, .declined, ["name": "carol@example.org", "reason": "too late"])
          ], "inside: \(isInside)")
        #expect(await service.knows(room))
      }
    }
  }

  @Test func `a direct invitation brings its password along`() async throws {
    try await entersInvited(with: "sesame") { service in
      let pending = try #require(await service.invitations().first)
      #expect(pending.isMediated == false)
      try await service.accept(pending)
    }
  }

  @Test(arguments: [nil, "open"])
  func
    `who joins by himself where he is invited has the invitation's password, unless he gives another`(
      given: String?
    ) async throws
  {
    try await entersInvited(with: given ?? "sesame") { service in
      try await service.join(room, nick: nil, password: given)
    }
  }

  @Test func `a stranger's invitation replaces no known password, unless it is accepted`()
    async throws
  {
    func known() -> MemoryBookmarkStore {
      MemoryBookmarkStore(Bookmark(room: room, password: "known"))
    }
    try await entersInvited(with: "known", in: known()) { service in
      try await service.join(room, nick: nil, password: nil)
    }
    try await entersInvited(with: "sesame", in: known()) { service in
      try await service.accept(try #require(await service.invitations().first))
    }
  }

  @Test func `an invitation's password replaces a known one that the room has refused`()
    async throws
  {
    let service = service(MemoryBookmarkStore(Bookmark(room: room, password: "old")))
    let channel = RoomChannel()
    try await working(service) {
      await service.sessionStarted(.fixture, over: channel)
      try await receiveInvitation(service, invitationWithPassword)
      for expected in ["old", "sesame"] {
        let before = await channel.sent.count
        try await service.join(room, nick: nil, password: nil)
        try await until { await channel.sent.count > before }
        let x = await channel.sent.last?.first("x", XEP0045.namespace)
        #expect(x?.first("password", XEP0045.namespace)?.text == expected)
        await service.receive([.presence(RoomStanza.refusal(.notAuthorized))])
      }
    }
  }

  @Test func `an invitation of an earlier run is accepted with its password at once`()
    async throws
  {
    let store = MemoryBookmarkStore()
    let invitation = RoomInvitation(
      room: room, inviter: JID(local: "bob", domain: "example.org"), reason: nil, isMediated: false)
    try await store.save(invitation, password: "sesame")
    try await service(store).accept(invitation)
    #expect(await store.stored[room]?.password == "sesame")
  }

  /// Has `enter` done where an invitation has brought the password "sesame".
  /// - Parameter password: the password for the room.
  private func entersInvited(
    with password: String, in store: MemoryBookmarkStore = MemoryBookmarkStore(),
    _ enter: (AccountRooms) async throws -> Void
  ) async throws {
    let service = service(store)
    let channel = RoomChannel()
    try await working(service) {
      await service.sessionStarted(.fixture, over: channel)
      try await receiveInvitation(service, invitationWithPassword)
      try await enter(service)
      try await until { await channel.sent.contains { $0.name == "presence" } }
      let x = await channel.sent.last?.first("x", XEP0045.namespace)
      #expect(x?.first("password", XEP0045.namespace)?.text == password)
      #expect(await service.invitations().isEmpty)
    }
  }

  @Test func `an invitation into a room that is joined while it is stored is settled`()
    async throws
  {
    let store = MemoryBookmarkStore()
    let (service, room) = (service(store), room)
    let events = hub.events()
    await store.during { write in
      guard case .savingInvitation = write else { return }
      try? await service.join(room, nick: nil, password: nil)
    }
    try await receiveInvitation(service, invitationWithPassword)
    #expect(await service.invitations().isEmpty)
    #expect(await store.invitations().isEmpty)
    let isAnnounced = await events.published(on: hub).contains {
      if case .roomInvitation = $0 { true } else { false }
    }
    #expect(!isAnnounced)
    // One that comes while the user waits to get in is kept, as before.
    await store.during(nil)
    try await receiveInvitation(service, invitationWithPassword)
    #expect(await service.invitations().map(\.room) == [room])
  }

  @Test func `what another client of the account sent is no invitation`() async throws {
    let service = service(MemoryBookmarkStore())
    await service.sessionStarted(.fixture, over: RoomChannel())
    try await receiveInvitation(
      service,
      .message(
        from: "\(alice)/phone", type: "normal",
        Element("x", XEP0249.namespace, ["jid": room.description])))
    #expect(await service.invitations().isEmpty)
  }

  @Test func `a sender who floods with invitations takes the space of no other`() async throws {
    let service = service(MemoryBookmarkStore())
    await service.sessionStarted(.fixture, over: RoomChannel())
    func invite(to room: String, from sender: String) -> Stanza {
      .message(from: sender, Element("x", XEP0249.namespace, ["jid": "\(room)@rooms.example.org"]))
    }
    for number in 1...200 {
      try await receiveInvitation(service, invite(to: "r\(number)", from: "mal@example.org/x"))
    }
    #expect(await service.invitations().count < 100)
    try await receiveInvitation(service, invite(to: "real", from: "bob@example.org/x"))
    #expect(await service.invitations().last?.room.local == "real")
  }

  @Test func `names below one domain share one limit, whatever letter is before the dot`()
    async throws
  {
    let service = service(MemoryBookmarkStore())
    await service.sessionStarted(.fixture, over: RoomChannel())
    for number in 0..<300 {
      let label = String(repeating: "\u{D15}", count: number / 25 + 1) + "\u{D4E}"
      try await receiveInvitation(
        service,
        .message(
          from: "bob\(number)@\(label).example.org/x",
          Element("x", XEP0249.namespace, ["jid": "r\(number)@rooms.example.org"])))
    }
    #expect(await service.invitations().count == 200)
  }

  @Test func `rooms that name ever other inviters displace no other sender`() async throws {
    let service = service(MemoryBookmarkStore())
    await service.sessionStarted(.fixture, over: RoomChannel())
    for number in 1...1500 {
      let invite = Element("invite", XEP0045.user, ["from": "bob\(number)@example.org"])
      try await receiveInvitation(
        service,
        .message(
          from: "r\(number)@rooms\(number).evil.test", type: "normal",
          Element("x", XEP0045.user, [:], [invite])))
    }
    #expect(await service.invitations().count == 200)
    try await receiveInvitation(
      service,
      .message(
        from: "bob7@example.org/x",
        Element("x", XEP0249.namespace, ["jid": "real@rooms.example.org"])))
    #expect(await service.invitations().last?.room.local == "real")
  }

  @Test func `an invitation is there after a new start, until it is answered`() async throws {
    let store = MemoryBookmarkStore()
    let first = service(store)
    try await receiveInvitation(first, invitationWithPassword)
    // The same by another road.
    try await receiveInvitation(first, invitationWithPassword)
    let second = service(store)
    #expect(await second.invitations().map(\.room) == [room])
    let channel = RoomChannel()
    try await working(second) {
      await second.sessionStarted(.fixture, over: channel)
      try await second.accept(try #require(await second.invitations().first))
      try await until { await channel.sent.contains { $0.name == "presence" } }
      let x = await channel.sent.last?.first("x", XEP0045.namespace)
      #expect(x?.first("password", XEP0045.namespace)?.text == "sesame")
    }
    #expect(await service(store).invitations().isEmpty)
  }

  @Test func `an invitation that comes while an earlier one is answered is kept`() async throws {
    let store = MemoryBookmarkStore()
    let service = service(store)
    await service.sessionStarted(.fixture, over: RoomChannel())
    try await receiveInvitation(service, invitationWithPassword)
    let pending = await service.invitations()
    let receiving = Observed<Task<Void, any Error>?>(nil)
    let again = invitationWithPassword
    await store.during { [self] write in
      guard case .removingInvitation = write else { return }
      receiving.update { $0 = Task { try await receiveInvitation(service, again) } }
    }
    try await service.decline(pending[0])
    try await receiving.value?.value
    #expect(await service.invitations().map(\.room) == [room])
  }
}
