import Foundation
import NatterCore
import Testing
import XMPP

@testable import SyncService

/// Whose what a room's archive tells is taken for.
@Suite struct ArchivedRoomMessageTests {
  private let account = JID(local: "alice", domain: "example.org")
  private let room = JID(local: "den", domain: "rooms.example.org")

  private func read(_ more: Element..., as view: RoomView = RoomView(nick: "al"))
    -> IncomingMessage?
  {
    let stanza = Element(
      "message", Namespace.client, ["from": "\(room)/al", "id": "1", "type": "groupchat"],
      [Element("body", Namespace.client, text: "mine")] + more)
    let result = XEP0313Result(
      id: "a1", stamp: Date(timeIntervalSince1970: 1_000_000), message: MessageStanza(stanza))
    return IncomingMessage(result, of: room, account: account, in: view)
  }

  private func item(_ jid: String) -> Element {
    Element("x", XEP0045.user, [:], [Element("item", XEP0045.user, ["jid": jid])])
  }

  @Test func `where an archive tells nothing but the own nick, anybody may have been called so`() {
    let read = read()
    #expect(read?.direction == .outgoing && read?.isOwnByName == true)
  }

  @Test func `where it tells the own address or the lasting id, nobody else can have been it`() {
    #expect(read(item("alice@example.org/phone"))?.isOwnByName == false)
    let id = Element("occupant-id", Namespace.occupantID, ["id": "me"])
    let known = read(id, as: RoomView(nick: "al", occupantID: "me"))
    #expect(known?.direction == .outgoing && known?.isOwnByName == false)
    #expect(read(item("dave@example.org/x"))?.isOwnByName == true)
  }
}
