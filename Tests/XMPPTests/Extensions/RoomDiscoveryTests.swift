import Testing
import XML

@testable import XMPP

@Suite struct RoomDiscoveryTests {
  @Test(arguments: [
    ("Den (3)", "Den", 3), ("Den (private, 12)", "Den", 12), ("(4)", "", 4), ("Den", "Den", nil),
    ("Den ()", "Den ()", nil), ("Den (-1)", "Den (-1)", nil), ("Den (x)", "Den (x)", nil),
    ("a (b) (5)", "a (b)", 5), (")", ")", nil), ("", "", nil),
  ])
  func `a number of people behind a name is taken off it`(
    listed: String, name: String, people: Int?
  ) {
    let read = XEP0045Card.listed(listed)
    #expect(read.name == name && read.people == people)
  }

  @Test func `a card has what the form says, and broken numbers are none`() {
    func card(_ people: String) -> XEP0045Card? {
      XEP0045Card(
        XEP0030Discovery(
          identities: [.init(category: "conference", type: "text", name: " Den\n")],
          features: [XEP0045.namespace],
          forms: [
            XEP0004DataForm(.result, fields: [.init("FORM_TYPE", values: ["other"])]),
            XEP0004DataForm(
              .result,
              fields: [
                .init("FORM_TYPE", values: ["http://jabber.org/protocol/muc#roominfo"]),
                .init("muc#roominfo_occupants", values: [people]),
                .init("muc#roominfo_subject", values: ["a", "b"]),
              ]),
          ]))
    }
    #expect(card("7")?.people == 7 && card("7")?.name == "Den" && card("7")?.subject == "a b")
    #expect(card("-7")?.people == nil && card("many")?.people == nil && card("")?.language == nil)
    #expect(XEP0045Card(XEP0030Discovery(features: [XEP0045.namespace])) == nil)
    #expect(
      XEP0045Card(
        XEP0030Discovery(identities: [.init(category: "conference", type: "text")])) == nil)
  }

  @Test func `a search is asked for text in names, descriptions and addresses`() throws {
    let iq = XEP0433.search(
      "swift", at: JID(local: nil, domain: "search.example.org"),
      XEP0059Request(.after("x"), limit: 20))
    #expect(iq["to"] == "search.example.org" && iq["type"] == "get")
    let search = try #require(iq.first("search", XEP0433.namespace))
    let form = try #require(
      search.first("x", Namespace.dataForms).flatMap { XEP0004DataForm($0) })
    #expect(form.formType == "urn:xmpp:channel-search:0:search-params")
    #expect(form["q"]?.values == ["swift"] && form["sinname"]?.values == ["true"])
    #expect(form["all"] == nil)
    #expect(search.first("set", Namespace.resultSets)?.first("after", Namespace.resultSets) != nil)
  }

  @Test func `what a search finds is read as far as it makes sense`() throws {
    func item(_ address: String?, _ children: (String, String)...) -> Element {
      var item = Element("item", XEP0433.namespace)
      item["address"] = address
      for (name, text) in children {
        item.append(Element(name, XEP0433.namespace, text: text))
      }
      return item
    }
    let answer = Element(
      "iq", Namespace.client, [:],
      [
        Element(
          "result", XEP0433.namespace, [:],
          [
            item(
              "den@a.b", ("name", " Den "), ("nusers", "-3"), ("is-open", "1"),
              ("anonymity-mode", "none")),
            item(nil), item("a.b"), item("den@a.b/x"), item("@@"),
          ])
      ])
    let items = try #require(XEP0433.items(in: answer)).items
    #expect(items.count == 1)
    #expect(items[0].name == "Den" && items[0].people == nil && items[0].isOpen == true)
    #expect(items[0].isNonAnonymous && items[0].language == nil)
    #expect(XEP0433.items(in: Element("iq", Namespace.client)) == nil)
  }
}
