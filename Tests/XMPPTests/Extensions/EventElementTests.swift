import Foundation
import Testing
import XML

@testable import XMPP

@Suite struct EventElementTests {
  private let start = Date(timeIntervalSince1970: 1_795_183_200)

  private func parsed(_ text: String) throws -> Element {
    let events = try XMLStreamParser().feed(XMLWriter().streamHeader([:]) + Array(text.utf8))
    for case .element(let element) in events { return element }
    throw CancellationError()
  }

  @Test func `an event is written and read the same`() throws {
    let event = XEP0471Event(
      id: "e1", name: "A <walk>", start: start, end: start.addingTimeInterval(5400),
      text: "By the canal,\nslowly.", place: "Lyon",
      room: JID(local: "walks", domain: "rooms.example.org"))
    #expect(XEP0471Event(item: event.item) == event)
    let bare = XEP0471Event(
      id: "e2", name: "x", start: start, end: start.addingTimeInterval(-5), takesAnswers: false)
    #expect(bare.end == start && XEP0471Event(item: bare.item) == bare)
  }

  @Test func `the specification's example is read, whatever else is in it`() throws {
    let item = try parsed(
      """
      <item xmlns='http://jabber.org/protocol/pubsub' id='2022_ball'>
      <event xmlns='urn:xmpp:calendar-events:0'>
      <name xml:lang='en'>Capulet's Ball</name>
      <start>2022-12-15T20:00:00Z</start><end>2022-12-16T02:00:00Z</end>
      <head-picture/>
      <description type='xhtml' xml:lang='en'><div xmlns='http://www.w3.org/1999/xhtml'>The <strong>ball!</strong></div></description>
      <category term='ball'/>
      <location><geoloc xmlns='http://jabber.org/protocol/geoloc'><locality>Capulet's House</locality>
      <country>Italy</country><text>Code 0123C</text></geoloc></location>
      <location id='online'><online><x xmlns='jabber:x:conference' jid='ball@muc.capulet.lit'/></online></location>
      <rsvp><x xmlns='jabber:x:data' type='form'/></rsvp>
      <extra><x xmlns='jabber:x:data' type='result'><field var='status'><value>cancelled</value></field></x></extra>
      </event></item>
      """)
    let event = try #require(XEP0471Event(item: item))
    #expect(event.name == "Capulet's Ball" && event.text == "The ball!")
    #expect(event.end.timeIntervalSince(event.start) == 6 * 3600)
    #expect(event.place == "Capulet's House, Italy, Code 0123C")
    #expect(event.room == JID(local: "ball", domain: "muc.capulet.lit"))
    #expect(event.takesAnswers && event.isCancelled)
  }

  @Test(arguments: [
    "<event xmlns='urn:xmpp:calendar-events:0'><name>x</name></event>",
    "<event xmlns='urn:xmpp:calendar-events:0'><name> </name><start>2022-12-15T20:00:00Z</start></event>",
    "<event xmlns='urn:xmpp:calendar-events:0'><name>x</name><start>soon</start></event>",
    "<event xmlns='urn:other'><name>x</name><start>2022-12-15T20:00:00Z</start></event>", "",
  ])
  func `what is no event is none`(payload: String) throws {
    let item = try parsed(
      "<item xmlns='http://jabber.org/protocol/pubsub' id='x'>\(payload)</item>")
    #expect(XEP0471Event(item: item) == nil)
  }

  @Test func `an event of the former name without an end lasts an hour`() throws {
    let item = try parsed(
      """
      <item xmlns='http://jabber.org/protocol/pubsub' id='x'><event xmlns='urn:xmpp:events:0'>\
      <name>x</name><start>2022-12-15T20:00:00Z</start></event></item>
      """)
    let event = try #require(XEP0471Event(item: item))
    #expect(event.end.timeIntervalSince(event.start) == 3600 && !event.takesAnswers)
    #expect(XEP0471Event.isCalendar("urn:xmpp:events:0"))
    #expect(XEP0471Event.isCalendar("urn:xmpp:calendar-events:0/balls"))
    #expect(!XEP0471Event.isCalendar("urn:xmpp:calendar-events:00"))
  }

  @Test func `answers are written and read the same, and no one answers for another`() {
    let romeo = JID(local: "romeo", domain: "montague.lit")
    for attendance in XEP0471Answer.Attendance.allCases {
      let answer = XEP0471Answer(jid: romeo, attendance: attendance)
      #expect(XEP0471Answer(item: answer.item) == answer)
    }
    var forged = XEP0471Answer(jid: romeo, attendance: .no).item
    forged["publisher"] = "tybalt@capulet.lit/x"
    #expect(XEP0471Answer(item: forged) == nil)
    forged["publisher"] = "romeo@montague.lit/x"
    #expect(XEP0471Answer(item: forged)?.attendance == .no)
    forged["id"] = "romeo@montague.lit/x"
    #expect(XEP0471Answer(item: forged) == nil)
  }

  @Test func `the node of the answers names the event`() {
    let target = XEP0471Answer.Target(
      service: JID(local: "juliet", domain: "capulet.lit"), node: "urn:xmpp:calendar-events:0",
      item: "a b;c")
    #expect(
      target.attachmentNode
        == "urn:xmpp:pubsub-attachments:1/xmpp:juliet@capulet.lit"
        + "?;node=urn%3Axmpp%3Acalendar-events%3A0;item=a%20b%3Bc")
    #expect(XEP0471Answer.Target(attachmentNode: target.attachmentNode) == target)
    for other in ["urn:xmpp:calendar-events:0", "urn:xmpp:pubsub-attachments:1/xmpp:a@b"] {
      #expect(XEP0471Answer.Target(attachmentNode: other) == nil)
    }
    // What is too long to be one is not looked through.
    for name in [4096, 4097, 100_000] {
      let long = XEP0471Answer.Target(
        service: JID(local: "juliet", domain: "capulet.lit"), node: "n",
        item: String(repeating: "\u{E9}", count: name / 2) + (name % 2 == 1 ? "x" : ""))
      let read = XEP0471Answer.Target(attachmentNode: long.attachmentNode)
      #expect(read == (name == 4096 ? long : nil))
    }
  }
}
