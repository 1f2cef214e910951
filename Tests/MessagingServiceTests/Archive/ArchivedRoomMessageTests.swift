import Foundation
import NatterCore
import Testing
import XML
import XMPP

@testable import MessagingService

/// The senders of messages from a room's archive.
@Suite struct ArchivedRoomMessageTests {
  private let account = JID(local: "alice", domain: "example.org")
  private let room = JID(local: "den", domain: "rooms.example.org")

  private func read(_ more: Element..., as view: RoomMembership = RoomMembership(nick: "al"))
    -> IncomingMessage?
  {
    let stanza = Element(
      "message", Namespace.client, ["from": "\(room)/al", "id": "1", "type": "groupchat"],
      [Element("body", Namespace.client, text: "mine")] + more)
    let result = XEP0313Result(
      id: "a1", stamp: Date(timeIntervalSince1970: 1_000_000), message: MessageStanza(stanza))
    return MessageDecoder(account: account).decode(result, of: room, in: view)
  }

  private func item(_ jid: String) -> Element {
    Element("x", XEP0045.user, [:], [Element("item", XEP0045.user, ["jid": jid])])
  }

  @Test func `where an archive has only the own nick, anybody may have been called so`() {
    let read = read()
    #expect(read?.direction == .outgoing && read?.isOwnByName == true)
  }

  @Test func `where it has the own address or the lasting id, no one else can have been it`() {
    #expect(read(item("alice@example.org/phone"))?.isOwnByName == false)
    let id = Element("occupant-id", Namespace.occupantID, ["id": "me"])
    let known = read(id, as: RoomMembership(nick: "al", occupantID: "me"))
    #expect(known?.direction == .outgoing && known?.isOwnByName == false)
    // The lasting id is the room's word: what else is in the stanza does not take it back.
    let both = read(
      id, item("dave@example.org/x"), as: RoomMembership(nick: "al", occupantID: "me"))
    #expect(both?.direction == .outgoing)
  }

  @Test
  func
    `whoever wore the own nick while one was away speaks for himself, where his address is told`()
  {
    let theirs = read(item("dave@example.org/x"))
    #expect(theirs?.direction == .incoming && theirs?.isOwnByName == false)
    // Another device of the account is not a stranger, and no sender is where no address is shown.
    #expect(read(item("alice@example.org/tablet"))?.direction == .outgoing)
    #expect(read()?.direction == .outgoing)
    // An address alone makes nothing one's own: anybody could write it.
    #expect(
      read(item("alice@example.org/x"), as: RoomMembership(nick: "other"))?.direction == .incoming)
  }

  @Test func `a message over a limit is not the user's because of its nick`() throws {
    let deep = String(repeating: "<a>", count: 200) + String(repeating: "</a>", count: 200)
    func parsed(_ content: String) throws -> MessageStanza {
      let header = "<stream:stream xmlns='\(Namespace.client)' xmlns:stream='\(Namespace.streams)'>"
      let start = "<message from='\(room)/al' id='1' type='groupchat'><body>mine</body>"
      let events = try XMLStreamParser(skipsStanzas: true).feed(
        Array("\(header)\(start)\(content)\(deep)</message>".utf8))
      guard case .element(let element) = events.last else {
        throw XMLError(.tooDeep, offset: 0)
      }
      #expect(element.exceedsLimit)
      return MessageStanza(element)
    }
    func directions(_ content: String, _ view: RoomMembership) throws -> [Message.Direction?] {
      let message = try parsed(content)
      let decoder = MessageDecoder(account: account)
      let time = Date(timeIntervalSince1970: 1_000_000)
      let result = XEP0313Result(id: "a1", stamp: time, message: message)
      return [
        decoder.decode(result, of: room, in: view)?.direction,
        decoder.decode(message, in: [room: view], receivedAt: time)?.direction,
      ]
    }
    let id = "<occupant-id xmlns='\(Namespace.occupantID)' id='me'/>"
    let known = RoomMembership(nick: "al", occupantID: "me")
    #expect(try directions("", known) == [.incoming, .incoming])
    #expect(try directions(id, known) == [.outgoing, .outgoing])
    #expect(try directions(id, RoomMembership(nick: "al")) == [.incoming, .incoming])
  }

  @Test func `in the account's archive, a room's question who may speak is no message`() {
    func archived(_ sender: String) -> IncomingMessage? {
      let form = XEP0004DataForm(
        .form,
        fields: [
          .init("FORM_TYPE", kind: .hidden, values: ["http://jabber.org/protocol/muc#request"]),
          .init("muc#roomnick", values: ["carol"]),
        ])
      let stanza = Element(
        "message", Namespace.client, ["from": sender],
        [Element("body", Namespace.client, text: "carol asks"), form.element])
      let result = XEP0313Result(
        id: "a2", stamp: Date(timeIntervalSince1970: 1_000_000), message: MessageStanza(stanza))
      return MessageDecoder(account: account).decode(result, of: account, in: nil)
    }
    #expect(archived(room.description) == nil)
    #expect(archived("bob@example.org/x") != nil)
  }

  @Test func `the text of an invitation is a message where the account sent it`() {
    func archived(from sender: String, to recipient: String, _ more: Element...)
      -> IncomingMessage?
    {
      let stanza = Element(
        "message", Namespace.client, ["from": sender, "to": recipient],
        [
          Element("body", Namespace.client, text: "come"),
          Element("x", XEP0249.namespace, ["jid": room.description]),
        ] + more)
      let result = XEP0313Result(
        id: "a3", stamp: Date(timeIntervalSince1970: 1_000_000), message: MessageStanza(stanza))
      return MessageDecoder(account: account).decode(result, of: account, in: nil)
    }
    let sent = archived(from: "\(account)/x", to: "bob@example.org")
    #expect(sent?.body == "come" && sent?.direction == .outgoing)
    #expect(archived(from: "bob@example.org/x", to: account.description) == nil)
    // An encrypted text beside it is a message of its own.
    let omemo = "eu.siacs.conversations.axolotl"
    let encrypted = archived(
      from: "bob@example.org/x", to: account.description,
      Element("encrypted", omemo, [:], [Element("payload", omemo, text: "c2VjcmV0")]))
    guard case .content(.encrypted(let encryption), _) = encrypted?.payload else {
      Issue.record("no encrypted message: \(String(describing: encrypted))")
      return
    }
    #expect(encryption.method == omemo && encrypted?.body == "")
  }
}
