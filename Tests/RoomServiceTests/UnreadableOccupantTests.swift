import Foundation
import NatterCore
import Testing
import XML
import XMPP

@testable import RoomService

/// Presences of occupants whose addresses cannot be read.
@Suite struct UnreadableOccupantTests {
  private let room = RoomStanza.room

  @Test func `a presence in the name of an unreadable occupant is no stanza`() {
    var presence = RoomStanza.presence("bob", codes: [110]).element
    #expect(Stanza(presence) != nil)
    presence["from"] = "\(room)/bob\u{AD}"
    #expect(Stanza(presence) == nil)
  }

  @Test func `an occupant whose address becomes unreadable is not the one who was known`() {
    var state = RoomState(bookmark: Bookmark(room: room, isWanted: true), nick: "alice")
    state.begin(as: "alice")
    func come(_ jid: String, at seconds: Double) {
      state.lastHeard = .init(timeIntervalSince1970: seconds)
      _ = state.apply(RoomStanza.presence("bob", jid: jid), nick: "bob")
    }
    come("bob@example.org/a", at: 10)
    come("bob@example.org/r\u{AD}", at: 20)
    #expect(state.present["bob"] == .init(timeIntervalSince1970: 20))
  }

  @Test(arguments: ["", "a\u{7}", String(repeating: "n", count: 100_000)])
  func `text that no nick can be is not taken for one`(nick: String) {
    var state = RoomState(bookmark: Bookmark(room: room, isWanted: true), nick: "alice")
    state.begin(as: "alice")
    _ = state.apply(RoomStanza.presence("alice", codes: [110]), nick: "alice")
    let item = Element("item", XEP0045.user, ["nick": nick])
    let codes = ["303", "110"].map { Element("status", XEP0045.user, ["code": $0]) }
    let renamed = PresenceStanza(
      Element(
        "presence", Namespace.client, ["from": "\(room)/alice", "type": "unavailable"],
        [Element("x", XEP0045.user, [:], [item] + codes)]))
    #expect(state.apply(renamed, nick: "alice") == [.lost])
    #expect(state.room.nick == "alice")
  }

  @Test func `what is reported of a room is bounded`() {
    let long = String(repeating: "\u{E9}", count: 100_000)
    let incident = RoomIncident(room: room, .subjectChanged, ["name": "bob", "subject": long])
    #expect(incident.arguments["name"] == "bob")
    #expect(incident.arguments["subject"] == String(repeating: "\u{E9}", count: 2048))
  }
}
