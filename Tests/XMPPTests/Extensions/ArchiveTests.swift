import Foundation
import Testing
import XML

@testable import XMPP

/// XEP-0313 with the ways of servers (server-quirks.md, "Prosody" and "ejabberd").
@Suite struct ArchiveTests {
  private func page(_ attributes: Attributes, set: String...) -> XEP0313Page? {
    let rsm = Element(
      "set", Namespace.resultSets, [:],
      set.map { pair in
        let parts = pair.split(separator: "=").map(String.init)
        return Element(parts[0], Namespace.resultSets, text: parts.count > 1 ? parts[1] : "")
      })
    let fin = Element("fin", Namespace.archive, attributes, [rsm])
    return XEP0313Page(
      Element("iq", Namespace.client, ["type": "result"], [fin]),
      GatheredResults(archive: JID(local: nil, domain: "a"), isBackward: false))
  }

  @Test func `complete is true, false or missing`() {
    #expect(page(["complete": "true"])?.isComplete == true)
    #expect(page(["complete": "1"])?.isComplete == true)
    #expect(page(["complete": "false"])?.isComplete == false)
    #expect(page([:])?.isComplete == false)
    #expect(
      XEP0313Page(
        Element("iq", Namespace.client),
        GatheredResults(archive: JID(local: nil, domain: "a"), isBackward: false)) == nil)
  }

  @Test func `first, last and count are read, as far as the server sends them`() {
    let whole = page([:], set: "first=a", "last=b", "count=430")
    #expect(whole?.oldest == "a" && whole?.newest == "b" && whole?.count == 430)
    let empty = page(["complete": "true"], set: "first=", "count=0")
    #expect(empty?.oldest == nil && empty?.newest == nil && empty?.count == 0)
    #expect(page([:], set: "count=-3")?.count == nil)
    #expect(page([:], set: "count=many")?.count == nil)
  }

  @Test(arguments: [["count=0"], ["count=430"], []])
  func `an empty page names neither first nor last, and is complete`(set: [String]) {
    // After the last and before the first.
    let rsm = Element(
      "set", Namespace.resultSets, [:],
      set.map { Element("count", Namespace.resultSets, text: String($0.dropFirst(6))) })
    let fin = Element("fin", Namespace.archive, ["complete": "true"], set.isEmpty ? [] : [rsm])
    let page = XEP0313Page(
      Element("iq", Namespace.client, ["type": "result"], [fin]),
      GatheredResults(archive: JID(local: nil, domain: "a"), isBackward: false))
    #expect(page?.isComplete == true && page?.results.isEmpty == true)
    #expect(page?.oldest == nil && page?.newest == nil)
    #expect(page?.count == set.first.flatMap { Int($0.dropFirst(6)) })
  }

  @Test
  func
    `pages are never asked for flipped, empty, or from two sides: servers differ in what they answer`()
  {
    let positions: [XEP0059Request.Position] = [.first, .last, .after("x"), .before("x")]
    for position in positions {
      let query = XEP0313Query(with: JID(local: "bob", domain: "b.example"), position, limit: 0)
      let element = query.element(id: "q").first("query", Namespace.archive)
      #expect(element?.first("flip-page", Namespace.archive) == nil)
      let set = element?.first("set", Namespace.resultSets)
      // `max` 0 is answered with a false `complete`.
      #expect(set?.first("max", Namespace.resultSets)?.text == "1")
      let sides = ["after", "before"].filter { set?.first($0, Namespace.resultSets) != nil }
      #expect(sides.count <= 1)
    }
  }

  @Test func `no field is asked for that every server knows not`() {
    // server-quirks.md, "ejabberd": ejabberd refuses a form with a field that it does not know.
    let known: Set = ["FORM_TYPE", "with", "start", "end"]
    let peer = JID(local: "bob", domain: "b.example")
    for position in [XEP0059Request.Position.first, .last, .after("x"), .before("x")] {
      let query = XEP0313Query(
        with: peer, start: Date(timeIntervalSince1970: 0), end: Date(timeIntervalSince1970: 1),
        position, limit: 5)
      let form = query.element(id: "q").first("query", Namespace.archive)?
        .first("x", Namespace.dataForms).flatMap { XEP0004DataForm($0) }
      #expect(Set(form?.fields.compactMap(\.name) ?? []) == known)
    }
    let all = XEP0313Query(.last, limit: 5).element(id: "q").first("query", Namespace.archive)
    let fields = all?.first("x", Namespace.dataForms).flatMap { XEP0004DataForm($0) }?.fields ?? []
    #expect(known.isSuperset(of: fields.compactMap(\.name)))
  }

  @Test func `times are asked for with a time zone`() {
    let query = XEP0313Query(
      start: Date(timeIntervalSince1970: 0), end: Date(timeIntervalSince1970: 1), .last, limit: 5)
    let text = XMLWriter().string(query.element(id: "q"))
    #expect(text.contains("1970-01-01T00:00:00") && text.contains("Z</value>"))
  }

  @Test(arguments: ["queryid", "id", "stamp", "message"])
  func `a result that lacks something is none`(missing: String) {
    var inner = [Element("delay", Namespace.delay, ["stamp": "2024-01-01T00:00:00Z"])]
    if missing == "stamp" { inner = [Element("delay", Namespace.delay)] }
    if missing != "message" { inner.append(Element("message", Namespace.client)) }
    var result = Element(
      "result", Namespace.archive, [:],
      [Element("forwarded", XEP0280Carbon.forwardNamespace, [:], inner)])
    if missing != "queryid" { result["queryid"] = "q" }
    if missing != "id" { result["id"] = "1" }
    #expect(
      XEP0313Result.read(MessageStanza(Element("message", Namespace.client, [:], [result]))) == nil)
  }
}
