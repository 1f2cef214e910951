import Foundation
import NatterCore
import Testing
import XMPP

@testable import RoomService

/// What a room says of an occupant whose address cannot be read.
@Suite struct UnreadableOccupantTests {
  private let room = RoomStanza.room

  @Test func `a presence in the name of nobody who can be read is no stanza`() {
    var presence = RoomStanza.presence("bob", codes: [110]).element
    #expect(Stanza(presence) != nil)
    presence["from"] = "\(room)/bob\u{AD}"
    #expect(Stanza(presence) == nil)
  }

  @Test func `whoever's address becomes unreadable is not the one who was known`() {
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
}
