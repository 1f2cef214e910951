import Foundation
import NatterCore
import TestSupport
import Testing
import XML
import XMPP

@testable import RoomService

/// Invitations as they are sent (XEP-0045 §7.8, XEP-0249), and the end of a room (XEP-0045 §10.9).
@Suite struct RoomOwningTests {
  let hub = EventHub()
  let carol = JID(local: "carol", domain: "example.org")
  let room = RoomStanza.room

  /// Runs `body` with somebody who is in the room.
  private func inside(
    _ channel: RoomChannel, password: String? = nil,
    _ body: (AccountRooms) async throws -> Void
  ) async throws {
    let service = AccountRooms.fixture(hub: hub)
    let work = Task { await service.run() }
    defer { work.cancel() }
    await service.sessionStarted(.fixture, over: channel)
    try await service.join(room, nick: nil, password: password)
    try await until { await channel.sent.contains { $0.name == "presence" } }
    await service.receive([
      .presence(RoomStanza.presence("alice", affiliation: "owner", codes: [110])),
      .message(RoomStanza.subject("Night")),
    ])
    try await until { await service.rooms().first?.phase == .inside }
    try await body(service)
  }

  private func invitations(_ channel: RoomChannel) async -> [Element] {
    await channel.sent.filter { $0.name == "message" }
  }

  /// A room that says nothing of itself may be one for members only.
  @Test(arguments: [[], ["muc_membersonly", "muc_hidden"]])
  func `the room invites where it alone can make its guest a member`(features: [String])
    async throws
  {
    let channel = RoomChannel(features: features)
    try await inside(channel) { service in
      try await service.invite(carol.with(resource: "phone") ?? carol, to: room, reason: "come")
    }
    let sent = try #require(await invitations(channel).last)
    #expect(sent["to"] == room.description)
    let invite = try #require(sent.first("x", XEP0045.user)?.first("invite", XEP0045.user))
    #expect(invite["to"] == carol.description)
    #expect(invite.first("reason", XEP0045.user)?.text == "come")
    #expect(sent.first("x", XEP0249.namespace) == nil)
  }

  @Test(arguments: [nil, "sesame"])
  func `a direct word invites where anybody may come in, with the room's password`(
    password: String?
  ) async throws {
    let channel = RoomChannel(features: ["muc_moderated"])
    try await inside(channel, password: password) { service in
      try await service.invite(carol, to: room, reason: nil)
    }
    let sent = try #require(await invitations(channel).last)
    #expect(sent["to"] == carol.description)
    let invite = try #require(sent.first("x", XEP0249.namespace))
    #expect(invite["jid"] == room.description)
    #expect(invite["password"] == password)
    #expect(invite["reason"] == nil)
    #expect(sent.first("x", XEP0045.user) == nil)
    // Without a text, servers keep it for devices that are away only where it is asked for
    // (server-quirks.md, "Both").
    #expect(sent.elements.contains(XEP0334Hints.store))
  }

  @Test func `a user who is not inside invites no one`() async throws {
    let service = AccountRooms.fixture(hub: hub)
    let channel = RoomChannel()
    await #expect(throws: NatterError.self) {
      try await service.invite(carol, to: room, reason: nil)
    }
    await service.sessionStarted(.fixture, over: channel)
    await #expect(throws: NatterError.self) {
      try await service.invite(carol, to: room, reason: nil)
    }
    #expect(await invitations(channel).isEmpty)
  }

  @Test(arguments: ["closing time", "", nil])
  func `a room is ended with the reason that was given`(reason: String?) async throws {
    let channel = RoomChannel(features: ["muc_moderated"])
    try await inside(channel) { service in
      try await service.destroy(room.with(resource: "alice") ?? room, reason: reason)
      let iq = try #require(
        await channel.requests.last {
          $0.first("query", XEP0045.owner)?.first("destroy", XEP0045.owner) != nil
        })
      #expect(iq["type"] == "set" && iq["to"] == room.description)
      let destroy = iq.first("query", XEP0045.owner)?.first("destroy", XEP0045.owner)
      #expect(destroy?.first("reason", XEP0045.owner)?.text == (reason == "" ? nil : reason))
      // That it is gone is what the room says, and not that it was asked.
      #expect(await service.rooms().first?.phase == .inside)
      await service.receive([
        .presence(
          RoomStanza.presence(
            "alice", type: "unavailable", role: "none", codes: [110],
            Element(
              "destroy", XEP0045.user, [:],
              [Element("reason", XEP0045.user, text: "closing time")])))
      ])
      let exit = await service.rooms().first?.exit
      #expect(exit?.cause == .destroyed)
    }
  }

  @Test func `a room that refuses to end is still there, and that is reported`() async throws {
    let channel = RoomChannel(features: ["muc_moderated"]) { iq in
      guard iq.first("query", XEP0045.owner)?.first("destroy", XEP0045.owner) != nil else {
        return nil
      }
      throw StanzaError(.auth, .forbidden)
    }
    try await inside(channel) { service in
      await #expect(throws: NatterError.self) { try await service.destroy(room, reason: nil) }
      #expect(await service.rooms().first?.phase == .inside)
    }
  }

  /// Settings of a room as a server's form has them, with what is answered and what is known of its
  /// password after that.
  @Test(
    arguments: [
      (["roomsecret": "old", "passwordprotectedroom": "1"], ["roomsecret": "new"], "new"),
      (["roomsecret": "", "passwordprotectedroom": "0"], ["roomsecret": "new"], nil),
      (["roomsecret": "old", "passwordprotectedroom": "1"], ["passwordprotectedroom": "0"], nil),
      // A form without the switch, and one that does not show what there is.
      (["roomsecret": ""], ["roomsecret": "new"], "new"),
      (["roomsecret": "old"], ["roomsecret": ""], nil),
      (["roomsecret": "", "passwordprotectedroom": "1"], ["roomname": "x"], "old"),
      (["roomname": "x"], ["roomname": "y"], "old"),
    ] as [([String: String], [String: String], String?)])
  func `the password that an owner gives the room is kept, and sent to their other devices`(
    form: [String: String], answers: [String: String], known: String?
  ) async throws {
    let fields = form.map {
      Element(
        "field", Namespace.dataForms,
        [
          "var": "muc#roomconfig_\($0.key)",
          "type": $0.key == "passwordprotectedroom" ? "boolean" : "text-private",
        ], [Element("value", Namespace.dataForms, text: $0.value)])
    }
    let channel = RoomChannel { iq in
      guard iq["type"] == "get", iq.first("query", XEP0045.owner) != nil else { return nil }
      return Element(
        "iq", Namespace.client, ["type": "result"],
        [
          Element(
            "query", XEP0045.owner, [:],
            [Element("x", Namespace.dataForms, ["type": "form"], fields)])
        ])
    }
    try await inside(channel, password: "old") { service in
      // It may be there twice: joining stores it, and so does the discovery of a change here.
      try await until { await !publications(channel).isEmpty }
      try await service.configure(
        room,
        with: Dictionary(
          uniqueKeysWithValues: answers.map { ("muc#roomconfig_\($0.key)", [$0.value]) }))
      #expect(await service.state(of: room)?.bookmark.password == known)
      guard known != "old" else { return }
      try await until("the password is told") {
        await publications(channel).last?.elements.first.flatMap { XEP0402Bookmark(item: $0) }?
          .password == known
      }
      try await until { await service.state(of: room)?.bookmark.isChanged == false }
    }
  }

  @Test func `an occupant is banned by their address there, and the room never`()
    async throws
  {
    let channel = RoomChannel()
    try await inside(channel) { service in
      await service.receive([.presence(RoomStanza.presence("bob", jid: "bob@example.org/x"))])
      try await service.setAffiliation(.outcast, of: "\(room)/bob", in: room, reason: nil)
      let item = await channel.requests.last?.first("query", XEP0045.admin)?
        .first("item", XEP0045.admin)
      #expect(item?["jid"] == "bob@example.org")
      await #expect(throws: NatterError.self) {
        try await service.setAffiliation(.outcast, of: "\(room)/eve", in: room, reason: nil)
      }
      // As the screen shows it (XEP-0106).
      try await service.setAffiliation(.outcast, of: "o'neil@example.org", in: room, reason: nil)
      let other = await channel.requests.last?.first("query", XEP0045.admin)?
        .first("item", XEP0045.admin)
      #expect(other?["jid"] == "o\\27neil@example.org")
    }
  }

  private func publications(_ channel: RoomChannel) async -> [Element] {
    await channel.requests.compactMap {
      $0.first("pubsub", Namespace.pubSub)?.first("publish", Namespace.pubSub)
    }
  }
}
