import Foundation
import Testing
import XML
import XMPP

/// XEP-0082 §3 and XEP-0203.
@Suite struct DateTimeTests {
  @Test(arguments: [
    ("1970-01-01T00:00:00Z", 0.0), ("1969-07-21T02:56:15Z", -14_159_025),
    ("1969-07-20T21:56:15-05:00", -14_159_025), ("2000-02-29T12:00:00.5Z", 951_825_600.5),
    ("2026-11-21T23:59:59.123456Z", 1_795_305_599.123456), ("2016-12-31T23:59:60Z", 1_483_228_800),
    ("0001-01-01T00:00:00Z", -62_135_596_800),
  ])
  func `a date with time and zone is read`(text: String, seconds: Double) throws {
    let date = try #require(XEP0082DateTime.date(from: text))
    #expect(abs(date.timeIntervalSince1970 - seconds) < 0.000_01)
  }

  @Test(arguments: [
    "", "yesterday", "2026-11-21", "2026-11-21T10:00:00", "2026-13-01T00:00:00Z",
    "2026-11-21T25:00:00Z", "2026-11-21T10:00:00Zjunk", "2026-11-21 10:00:00Z",
    "2026-11-21T10:00:00+0100", "20261121T10:00:00Z", "2026-11-21T10:00:00+99:99",
    "2026-11-21T10:00:00-24:00", "2026-11-21T10:00:00+01:60",
  ])
  func `what is no such date is refused`(text: String) {
    #expect(XEP0082DateTime.date(from: text) == nil)
  }

  @Test func `a time is the same to the millisecond after writing and reading`() throws {
    for seconds in stride(from: -62_000_000_000.0, through: 70_000_000_000, by: 1_234_567_891.013) {
      let date = Date(timeIntervalSince1970: seconds)
      let text = XEP0082DateTime.text(for: date)
      let back = try #require(XEP0082DateTime.date(from: text), "\(text)")
      #expect(abs(back.timeIntervalSince(date)) <= 0.000_6, "\(text)")
    }
  }

  @Test func `a delay's stamp and origin survive`() throws {
    let delay = XEP0203Delay(
      stamp: Date(timeIntervalSince1970: 1_000), from: JID(local: nil, domain: "example.org"))
    #expect(XEP0203Delay(delay.element) == delay)
    #expect(XEP0203Delay(Element("delay", Namespace.delay, ["stamp": "never"])) == nil)
  }

  @Test(arguments: [
    ("delay", Namespace.delay, "2002-09-10T23:08:25Z"),
    ("delay", Namespace.delay, "2002-09-10T23:08:25"),
    ("delay", Namespace.delay, "2002-09-11T01:08:25+02:00"),
    ("x", XEP0203Delay.oldNamespace, "20020910T23:08:25"),
    ("x", XEP0203Delay.oldNamespace, "20020910T23:08:25Z"),
    ("x", XEP0203Delay.oldNamespace, "2002-09-10T23:08:25.000"),
  ])
  func `older programs write times in another form, some without a zone`(
    name: String, namespace: String, stamp: String
  ) {
    let element = Element(name, namespace, ["stamp": stamp, "from": "example.org"])
    #expect(XEP0203Delay(element)?.stamp == Date(timeIntervalSince1970: 1_031_699_305))
    let message = MessageStanza(Element("message", Namespace.client, [:], [element]))
    #expect(message.delay == Date(timeIntervalSince1970: 1_031_699_305))
    let account = JID(local: "alice", domain: "example.org")
    #expect(message.heldBack(by: account)?.from == JID(local: nil, domain: "example.org"))
  }

  @Test(arguments: ["2002T23:08:25", "20020910", "x0020910T23:08:25", "20021310T23:08:25"])
  func `what is no such stamp is refused`(stamp: String) {
    #expect(XEP0203Delay(Element("x", XEP0203Delay.oldNamespace, ["stamp": stamp])) == nil)
    #expect(XEP0203Delay(Element("x", "jabber:x:other", ["stamp": "20020910T23:08:25"])) == nil)
  }

  @Test(arguments: [
    (0, 0, 0), (86_399, 0, 86_399), (86_400, 1, 0), (-1, -1, 86_399), (-86_400, -1, 0),
    (-86_401, -2, 86_399), (.min, -106_751_991_167_301, 30_592),
    (.max, 106_751_991_167_300, 55_807),
  ])
  func `days before 1970 are counted backwards`(seconds: Int, day: Int, rest: Int) {
    #expect(seconds.flooredDivision(by: 86_400) == (day, rest))
  }
}
