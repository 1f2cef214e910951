import Foundation
import NatterCore
import TestSupport
import Testing
import XML
import XMPP

@testable import RoomService

// Who may speak in a moderated room.
extension AccountRoomsTests {
  private var carol: VoiceRequest {
    VoiceRequest(room: room, nick: "carol", jid: JID(parsing: "carol@example.org/x"))
  }

  /// The question of a room to its moderators (XEP-0045 §8.6).
  private func question(from sender: String, about nick: String = "carol") -> Stanza {
    let form = XEP0004DataForm(
      .form, title: "Voice request",
      fields: [
        .init("FORM_TYPE", kind: .hidden, values: ["http://jabber.org/protocol/muc#request"]),
        .init("muc#role", values: ["participant"]),
        .init("muc#jid", kind: .jidSingle, values: ["carol@example.org/x"]),
        .init("muc#roomnick", values: [nick]),
        .init("muc#request_allow", kind: .boolean, values: ["false"]),
      ])
    return .message(from: sender, type: "normal", form.element)
  }

  private func occupant(_ nick: String, _ role: String, type: String? = nil, codes: [Int] = [])
    -> Stanza
  {
    .presence(RoomStanza.presence(nick, type: type, role: role, codes: codes))
  }

  /// The service of somebody who has entered with this role, beside a visitor.
  private func entered(as role: String, _ channel: RoomChannel) async throws -> AccountRooms {
    let service = service(MemoryBookmarkStore())
    try await working(service) {
      try await enter(service, channel)
      await service.receive([
        occupant("alice", role, codes: [110]), occupant("carol", "visitor"),
      ])
    }
    return service
  }

  /// The fields of the form that was sent last, without its type.
  private func lastForm(_ channel: RoomChannel) async -> (to: String?, fields: [String: String]) {
    let message = await channel.sent.last
    let form = message?.first("x", Namespace.dataForms).flatMap { XEP0004DataForm($0) }
    #expect(form?.kind == .submit)
    #expect(form?.formType == "http://jabber.org/protocol/muc#request")
    let fields = (form?.fields ?? []).filter { $0.name != "FORM_TYPE" }.map {
      ($0.name ?? "", $0.values.joined())
    }
    return (message?["to"], Dictionary(fields) { $1 })
  }

  @Test func `a visitor asks the room to speak, and gets an error where it does not ask on`()
    async throws
  {
    let channel = RoomChannel()
    let service = try await entered(as: "visitor", channel)
    try await service.askForVoice(in: room)
    let (to, fields) = await lastForm(channel)
    #expect(to == room.description && fields == ["muc#role": "participant"])
    let events = hub.events()
    let id = try #require(await channel.sent.last?["id"])
    let refusal = StanzaError(.wait, .resourceConstraint, text: "wait").element
    // Another occupant's message does not end it, nor one about another message.
    await service.receive([
      .message(from: "\(room)/carol", id: id, type: "error", refusal),
      .message(from: room.description, id: "1", type: "error", refusal),
    ])
    await service.receive([.message(from: room.description, id: id, type: "error", refusal)])
    let reported = await events.published(on: hub).compactMap { event -> String? in
      guard case .notice(let notice) = event else { return nil }
      return notice.key
    }
    #expect(reported == ["error.room.noVoiceRequest"])
  }

  @Test func `an occupant who may speak does not ask for it`() async throws {
    let channel = RoomChannel()
    let service = try await entered(as: "moderator", channel)
    let count = await channel.sent.count
    await #expect(throws: NatterError(.invalidInput, "error.room.hasVoice")) {
      try await service.askForVoice(in: room)
    }
    #expect(await channel.sent.count == count)
  }

  @Test(arguments: [true, false])
  func `a moderator is asked once, and the room gets their answer`(isAllowed: Bool) async throws {
    let channel = RoomChannel()
    let service = try await entered(as: "moderator", channel)
    let events = hub.events()
    await service.receive([question(from: room.description), question(from: room.description)])
    #expect(await events.published(on: hub).filter { $0 == .voiceRequested(carol) }.count == 1)
    #expect(await service.voiceRequests() == [carol])
    let later = hub.events()
    try await service.answer(carol, isAllowed: isAllowed)
    let (to, fields) = await lastForm(channel)
    #expect(to == room.description)
    #expect(
      fields == [
        "muc#role": "participant", "muc#jid": "carol@example.org/x", "muc#roomnick": "carol",
        "muc#request_allow": isAllowed ? "true" : "false",
      ])
    #expect(await later.published(on: hub).contains(.voiceRequestSettled(carol)))
    #expect(await service.voiceRequests().isEmpty)
    await #expect(throws: NatterError.self) { try await service.answer(carol, isAllowed: true) }
  }

  @Test func `only the room itself asks, only a moderator, and only of a visitor who is there`()
    async throws
  {
    let service = try await entered(as: "moderator", RoomChannel())
    await service.receive([
      question(from: "\(room)/carol"), question(from: "\(room)/bob"),
      question(from: "other@rooms.example.org"),
      question(from: room.description, about: "bob"),
      question(from: room.description, about: "nobody"),
    ])
    #expect(await service.voiceRequests().isEmpty)
    let listening = try await entered(as: "participant", RoomChannel())
    await listening.receive([question(from: room.description)])
    #expect(await listening.voiceRequests().isEmpty)
  }

  @Test func `a room cannot make more visitors ask than a moderator would answer`() async throws {
    let service = try await entered(as: "moderator", RoomChannel())
    let nicks = (0...RoomState.voiceLimit).map { "n\($0)" }
    await service.receive(nicks.map { occupant($0, "visitor") })
    await service.receive(nicks.map { question(from: room.description, about: $0) })
    #expect(await service.voiceRequests().count == RoomState.voiceLimit)
    // Renamed visitors who never come are not kept without end.
    await service.receive(
      nicks.map {
        .presence(
          RoomStanza.presence(
            $0, type: "unavailable", role: "visitor", codes: [303], newNick: "\($0)a"))
      })
    await service.receive([occupant("m", "visitor"), question(from: room.description, about: "m")])
    await service.receive([
      .presence(
        RoomStanza.presence("m", type: "unavailable", role: "visitor", codes: [303], newNick: "ma"))
    ])
    #expect(await service.state(of: room)?.renamedVoices.count == RoomState.voiceLimit)
  }

  @Test(arguments: [true, false])
  func `a visitor who changes their nick while they wait still asks`(isTogether: Bool) async throws
  {
    let service = try await entered(as: "moderator", RoomChannel())
    await service.receive([question(from: room.description)])
    let events = hub.events()
    let renamed = VoiceRequest(room: room, nick: "caro", jid: carol.jid)
    let change: [Stanza] = [
      .presence(
        RoomStanza.presence(
          "carol", type: "unavailable", role: "visitor", codes: [303], newNick: "caro")),
      occupant("caro", "visitor"),
    ]
    for batch in isTogether ? [change] : change.map({ [$0] }) { await service.receive(batch) }
    #expect(await service.voiceRequests() == [renamed])
    let reported = await events.published(on: hub)
    #expect(
      reported.contains(.voiceRequestSettled(carol)) && reported.contains(.voiceRequested(renamed)))
  }

  @Test
  func `no moderator is asked any more once the visitor may speak, is gone, or another decides`()
    async throws
  {
    let ends: [Stanza?] = [
      occupant("carol", "participant"), occupant("carol", "none", type: "unavailable"),
      occupant("alice", "participant", codes: [110]), nil,
    ]
    for end in ends {
      let service = try await entered(as: "moderator", RoomChannel())
      await service.receive([question(from: room.description)])
      #expect(await service.voiceRequests() == [carol])
      let events = hub.events()
      if let end { await service.receive([end]) } else { await service.sessionEnded() }
      #expect(await events.published(on: hub).contains(.voiceRequestSettled(carol)), "\(end)")
      #expect(await service.voiceRequests().isEmpty)
    }
  }
}
