import Foundation
import NatterCore
import TestSupport
import Testing
import XML
import XMPP

@testable import MessagingService

/// An address that is there and cannot be read is not the own account's, and not a room's silence
/// about it.
@Suite struct UnreadableAddressTests {
  private let account = JID(local: "alice", domain: "example.org")
  private let room = JID(local: "den", domain: "rooms.example.org")
  private let unreadable = "mallory@example.org/r\u{AD}"

  @Test func `makes no command`() {
    let unblock = Element("unblock", "urn:xmpp:blocking")
    let published = Element("event", XEP0060.events)
    #expect(AccountEvent(.iq(from: nil, type: "set", unblock), for: account) != nil)
    #expect(AccountEvent(.iq(from: unreadable, type: "set", unblock), for: account) == nil)
    #expect(AccountEvent(.message(from: unreadable, published), for: account) == nil)
    #expect(AccountEvent(.presence(from: unreadable, type: "subscribe"), for: account) == nil)
    let gone = Element(
      "x", XEP0045.user, [:],
      [Element("status", XEP0045.user, ["code": "110"]), Element("destroy", XEP0045.user)])
    var exit = Element(
      "presence", Namespace.client, ["from": "\(room)/al", "type": "unavailable"], [gone])
    #expect(AccountEvent(.presence(PresenceStanza(exit)), for: account) != nil)
    exit["from"] = "\(room)/al\u{AD}"
    #expect(AccountEvent(.presence(PresenceStanza(exit)), for: account) == nil)
  }

  @Test func `in an archive, makes nothing one's own`() {
    func read(_ from: String, to: String? = nil, jid: String? = nil) -> IncomingMessage? {
      var stanza = Element(
        "message", Namespace.client, ["from": from, "id": "1"],
        [Element("body", Namespace.client, text: "mine")])
      stanza["to"] = to
      let isInRoom = from.hasPrefix("\(room)")
      stanza["type"] = isInRoom ? "groupchat" : "chat"
      if let jid {
        stanza.append(
          Element("x", XEP0045.user, [:], [Element("item", XEP0045.user, ["jid": jid])]))
      }
      let result = XEP0313Result(
        id: "a1", stamp: Date(timeIntervalSince1970: 1_000_000), message: MessageStanza(stanza))
      return MessageDecoder(account: account).decode(
        result, of: isInRoom ? room : account, in: RoomMembership(nick: "al"))
    }
    #expect(read("\(account)/x")?.conversation == account)
    #expect(read("\(account)/x", to: unreadable) == nil)
    #expect(read(unreadable) == nil)
    #expect(read("\(room)/al")?.direction == .outgoing)
    #expect(read("\(room)/al", jid: unreadable)?.direction == .incoming)
  }
}
