import Foundation
import NatterCore
import Testing
import XML
import XMPP

@testable import MessagingService

@Suite struct LocationPayloadTests {
  private let alice = JID(local: "alice", domain: "example.org")
  private let bob = JID(local: "bob", domain: "example.org")
  private let time = Date(timeIntervalSince1970: 1_000_000)

  private func sent(_ body: String) -> Element {
    let message = Message(
      id: .init(1), conversation: bob, sender: alice, direction: .outgoing, body: body,
      sentAt: time, originID: "o1", delivery: .queued)
    return MessageEncoder(account: alice, retractionText: "", besideText: [])
      .encode(message, originID: "o1", .direct, isLate: false)
  }

  private func read(_ element: Element) -> IncomingMessage? {
    var element = element
    element["from"] = "\(alice)/x"
    return MessageDecoder(account: bob).decode(MessageStanza(element), receivedAt: time)
  }

  private func read(_ body: String?, _ members: [(String, String)]) -> String? {
    var element = Element("message", Namespace.client, ["type": "chat", "id": "1"])
    if let body { element.append(Element("body", Namespace.client, text: body)) }
    element.append(
      Element(
        "geoloc", XEP0080Location.namespace, [:],
        members.map { Element($0.0, XEP0080Location.namespace, text: $0.1) }))
    return read(element)?.body
  }

  @Test func `a location sent by Natter is one for Conversations' pattern, and back`() throws {
    // GeoHelper.GEO_URI of Conversations, which has to match the whole body.
    let number = #"-?\d+(?:\.\d+)?"#
    let pattern = try Regex(
      "geo:\(number),\(number)(?:,\(number))?(?:;crs=[a-z0-9-]+)?"
        + #"(?:;u=\d+(?:\.\d+)?)?(?:\?z=\d+)?"#)
    for (latitude, longitude, accuracy) in [
      (48.8566, 2.3522, nil as Double?), (-33.0, -151.123_456_789, 30.5), (0, 0, 0),
    ] {
      let point = try #require(
        GeoURI(latitude: latitude, longitude: longitude, accuracy: accuracy))
      let location = SharedLocation(point, text: "Café at the corner")
      let element = sent(location.body)
      let body = try #require(element.first("body", Namespace.client)?.text)
      #expect(body.wholeMatch(of: pattern) != nil, "\(body)")
      #expect(element.first("geoloc", XEP0080Location.namespace) != nil)
      // As it is stored where it comes from: a copy from an archive is recognized by it.
      #expect(read(element)?.body == location.body)
    }
    let theirs = Element(
      "message", Namespace.client, ["type": "chat", "id": "1"],
      [Element("body", Namespace.client, text: "geo:48.8566140,2.3522219")])
    let arrived = try #require(read(theirs)?.body)
    #expect(arrived == "geo:48.8566140,2.3522219")
    #expect(
      SharedLocation(body: arrived)?.point == GeoURI(latitude: 48.856_614, longitude: 2.352_221_9))
  }

  @Test func `the element wins, and the body keeps what only it has`() {
    let place = [("lat", "1.5"), ("lon", "2"), ("accuracy", "9"), ("description", "Here\nnow")]
    #expect(read("geo:3,4", place) == "geo:1.5,2;u=9\nHere now")
    #expect(read("geo:1.5,2,120;u=9", place) == "geo:1.5,2,120;u=9\nHere now")
    #expect(read(nil, place) == "geo:1.5,2;u=9\nHere now")
    #expect(read("In the pub", [("lat", "1.5"), ("lon", "2")]) == "geo:1.5,2\nIn the pub")
    #expect(read("Two\nlines", [("lat", "1.5"), ("lon", "2")]) == "Two\nlines\ngeo:1.5,2")
    #expect(read("In the pub", place) == "In the pub\ngeo:1.5,2;u=9\nHere now")
  }

  @Test func `what is no location is a text like any other`() {
    #expect(read("geo:91,0", []) == "geo:91,0")
    #expect(read("hello", [("lat", "91"), ("lon", "0")]) == "hello")
    #expect(SharedLocation(body: "geo:91,0") == nil)
    #expect(SharedLocation(body: "geo:1,2\nsee\nyou") == nil)
    #expect(SharedLocation(body: "geo:1,2\n" + String(repeating: "x", count: 501)) == nil)
    #expect(sent("meet at geo:1,2").first("geoloc", XEP0080Location.namespace) == nil)
  }

  @Test func `a description is one line of a bounded length`() {
    #expect(SharedLocation.line("  a\n\t b\u{2028}c ") == "a b c")
    #expect(SharedLocation.line(String(repeating: "é", count: 600)).count == 500)
  }
}
