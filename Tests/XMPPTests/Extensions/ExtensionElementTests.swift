import Foundation
import Testing
import XML
import XMPP

/// Values that become elements and come back the same; elements that are not what they should be.
@Suite struct ExtensionElementTests {
  @Test func `a discovery result comes back the same`() {
    let info = XEP0030Discovery(
      identities: [.init(category: "client", type: "console", name: "Natter")],
      features: ["urn:xmpp:ping"],
      forms: [XEP0004DataForm(.result, fields: [.init("FORM_TYPE", kind: .hidden, values: ["x"])])])
    #expect(XEP0030Discovery(info.element(node: "n")) == info)
    #expect(XEP0030Discovery(Element("query", Namespace.version)) == nil)
  }

  @Test func `the items of a service without an address are left out`() {
    let query = Element(
      "query", Namespace.discoItems, [:],
      [
        Element("item", Namespace.discoItems, ["jid": "rooms.example.org", "name": "Rooms"]),
        Element("item", Namespace.discoItems, ["name": "nowhere"]),
      ])
    #expect(XEP0030Item.items(in: query).map(\.jid.domain) == ["rooms.example.org"])
  }

  @Test func `an answered form keeps hidden fields and leaves out what is fixed or empty`() {
    let form = XEP0004DataForm(
      .form, title: "Config",
      fields: [
        .init("FORM_TYPE", kind: .hidden, values: ["t"]),
        .init(nil, kind: .fixed, values: ["read me"]),
        .init("name", label: "Name", isRequired: true), .init("empty"),
        .init("kept", kind: .boolean, values: ["1"]),
      ])
    let answer = form.answered(["name": ["x"]])
    #expect(answer.kind == .submit)
    #expect(answer.fields.map(\.name) == ["FORM_TYPE", "name", "kept"])
    #expect(answer["name"]?.values == ["x"])
    #expect(XEP0004DataForm(form.element) == form)
  }

  /// A stanza has room for as many: each field compared with each column would take minutes.
  @Test func `the fields of a table have the labels of their columns, however many there are`()
    throws
  {
    func field(_ name: String?, _ label: String? = nil) -> Element {
      var field = Element("field", Namespace.dataForms)
      field["var"] = name
      field["label"] = label
      return field
    }
    let columns = (0..<20_000).map { field("c\($0)", "Column \($0)") }
    let row = (0..<20_000).reversed().map { field("c\($0)") }
    let others = [field("c0", "again"), field("bare"), field(nil, "none")]
    let table = Element(
      "x", Namespace.dataForms, ["type": "result"],
      [
        Element("reported", Namespace.dataForms, [:], columns + others),
        Element("item", Namespace.dataForms, [:], row),
        Element("item", Namespace.dataForms, [:], [field("bare"), field("other"), field(nil)]),
      ])
    let form = try #require(XEP0004DataForm(table))
    let labels: [String?] = (0..<20_000).reversed().map { "Column \($0)" }
    #expect(form.rows[0].map(\.label) == labels)
    #expect(form.rows[1].count == 3 && form.rows[1].allSatisfy { $0.label == nil })
  }

  @Test func `registration: the old fields and the key go back`() throws {
    let query = Element(
      "query", Namespace.register, [:],
      [
        Element("instructions", Namespace.register, text: "Choose"),
        Element("username", Namespace.register), Element("password", Namespace.register),
        Element("email", Namespace.register), Element("key", Namespace.register, text: "k"),
      ])
    let registration = try #require(XEP0077Registration(query))
    #expect(registration.fields == ["username", "password", "email"])
    #expect(registration.instructions == "Choose")
    let answer = try #require(
      registration.answer(username: "kim", password: "pw", others: ["email": ["a@b"]])
        .first("query", Namespace.register))
    #expect(
      answer.elements.map { "\($0.name)=\($0.text)" } == [
        "username=kim", "password=pw", "email=a@b", "key=k",
      ])
  }

  @Test func `registration: where there is a data form it is what is answered`() throws {
    let form = XEP0004DataForm(
      .form,
      fields: [
        .init("FORM_TYPE", kind: .hidden, values: [Namespace.register]), .init("username"),
        .init("password", kind: .textPrivate),
      ])
    let registration = try #require(
      XEP0077Registration(
        Element(
          "query", Namespace.register, [:], [Element("username", Namespace.register), form.element])
      ))
    let answer = registration.answer(username: "kim", password: "pw", others: [:])
      .first("query", Namespace.register)?.first("x", Namespace.dataForms)
    let sent = try #require(answer.flatMap { XEP0004DataForm($0) })
    #expect(sent["username"]?.values == ["kim"])
    #expect(sent["password"]?.values == ["pw"])
    #expect(sent.formType == Namespace.register)
  }

  @Test func `version and time come back the same`() {
    let version = XEP0092Version(name: "Natter", version: "1", system: "Linux")
    #expect(XEP0092Version(version.element) == version)
    for offset in [0, 3600, -5 * 3600, 5 * 3600 + 1800, -(3 * 3600 + 1800)] {
      let time = XEP0202Time(utc: Date(timeIntervalSince1970: 1_000), offset: offset)
      #expect(XEP0202Time(time.element) == time)
    }
  }

  @Test(arguments: ["+-9223372036854775808:00", "+-1:00", "+01:-1", "+24:00", "01:00", "+1", ""])
  func `a time zone that is none makes no time`(_ zone: String) {
    let time = Element(
      "time", Namespace.time, [:],
      [
        Element("tzo", Namespace.time, text: zone),
        Element("utc", Namespace.time, text: "2006-12-19T17:58:35Z"),
      ])
    #expect(XEP0202Time(time) == nil)
  }

  @Test func `a roster item is read with what it leaves out`() throws {
    let item = try #require(
      RosterItem(
        Element(
          "item", Namespace.roster, ["jid": "bob@example.org", "ask": "subscribe", "name": ""],
          [Element("group", Namespace.roster, text: "Work")])))
    #expect(item.name == nil)
    #expect(item.subscription == "none")
    #expect(item.isPending)
    #expect(item.groups == ["Work"])
    #expect(!item.isRemoved)
    #expect(RosterItem(Element("item", Namespace.roster)) == nil)
    // Of long texts the beginning is kept, and of many groups the first.
    let long = String(repeating: "é", count: 100_000)
    let large = RosterItem(
      Element(
        "item", Namespace.roster, ["jid": "bob@example.org", "name": long],
        (0..<100).map { Element("group", Namespace.roster, text: "\($0)" + long) }))
    #expect(large?.name?.utf8.count == 1024)
    #expect(large?.groups.count == 64)
    #expect(large?.groups.allSatisfy { (1023...1024).contains($0.utf8.count) } == true)
  }

  @Test func `of several bodies the one without a language counts`() {
    var element = Element("message", Namespace.client)
    element.append(Element("body", Namespace.client, ["xml:lang": "fr"], text: "salut"))
    element.append(Element("body", Namespace.client, text: "hi"))
    #expect(MessageStanza(element).body == "hi")
  }

  @Test func `a stanza-id counts only if the archive's owner assigned it`() {
    var element = Element("message", Namespace.client)
    element.append(Element("stanza-id", Namespace.stanzaIDs, ["by": "eve@example.org", "id": "1"]))
    element.append(Element("stanza-id", Namespace.stanzaIDs, ["by": "a@example.org", "id": "2"]))
    #expect(MessageStanza(element).stanzaID(by: JID(local: "a", domain: "example.org")) == "2")
    #expect(MessageStanza(element).stanzaID(by: JID(local: "b", domain: "example.org")) == nil)
  }

  @Test func `chat states are those of the specification`() {
    #expect(
      XEP0085ChatState.allCases.map(\.rawValue)
        == ["active", "composing", "paused", "inactive", "gone"])
    var element = Element("message", Namespace.client)
    element.append(XEP0085ChatState.composing.element)
    #expect(MessageStanza(element).chatState == .composing)
  }
}
