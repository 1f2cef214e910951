import Foundation
import Testing
import XML
import XMPP

/// Copies, markers, pings.
@Suite struct MessageExtensionTests {
  let account = JID(local: "alice", domain: "a.example", resource: "desk")

  func carbon(_ direction: String, from: String?) -> MessageStanza {
    let inner = Element(
      "message", Namespace.client, ["from": "alice@a.example/phone", "to": "bob@a.example"],
      [Element("body", Namespace.client, text: "hi")])
    let forwarded = Element(
      "forwarded", XEP0280Carbon.forwardNamespace, [:],
      [Element("delay", Namespace.delay, ["stamp": "1970-01-01T00:00:10Z"]), inner])
    var message = Element(
      "message", Namespace.client, [:],
      [Element(direction, XEP0280Carbon.namespace, [:], [forwarded])])
    message["from"] = from
    return MessageStanza(message)
  }

  @Test(arguments: ["sent", "received"])
  func `a carbon copy from the user's own account is unwrapped`(direction: String) throws {
    let copy = try #require(
      XEP0280Carbon(carbon(direction, from: "alice@a.example"), of: account))
    #expect(copy.direction.rawValue == direction)
    #expect(copy.message.body == "hi")
    #expect(copy.delay == Date(timeIntervalSince1970: 10))
  }

  @Test(arguments: [nil, "eve@a.example", "alice@a.example/phone", "a.example"])
  func `a copy from anybody else is a forgery`(from: String?) {
    #expect(XEP0280Carbon(carbon("received", from: from), of: account) == nil)
  }

  @Test func `what is no copy is none`() {
    #expect(XEP0280Carbon(carbon("private", from: "alice@a.example"), of: account) == nil)
    #expect(
      XEP0280Carbon.enabling.first("enable", "urn:xmpp:carbons:2") != nil)
  }

  @Test func `markers come back as they were sent`() {
    var message = Element("message", Namespace.client)
    #expect(!MessageStanza(message).isMarkable)
    message.append(XEP0333Marker.request)
    message.append(XEP0333Marker.displayed("m1"))
    #expect(MessageStanza(message).isMarkable)
    #expect(MessageStanza(message).displayedID == "m1")
  }

  @Test func `a ping is known as one`() {
    let jid = JID(local: nil, domain: "a.example")
    #expect(XEP0199Ping.isQuestion(IQ(XEP0199Ping.question(to: jid))))
    #expect(XEP0199Ping.question(to: jid)["to"] == "a.example")
    #expect(XEP0199Ping.question()["to"] == nil)
    #expect(!XEP0199Ping.isQuestion(IQ(Element("iq", Namespace.client, ["type": "get"]))))
  }
}
