import NatterCore
import Testing
import XML
import XMPP

@testable import PeopleService

@Suite struct CardFormatTests {
  private static let whole = PersonCard([
    .nickname: "alice", .fullName: "Alice Dubois", .birthday: "1990-05-04",
    .organisation: "Museum of Clocks", .email: "alice@example.org", .phone: "+33-1-23-45",
    .web: "https://alice.example", .note: "tea & trains", .street: "7 rue des Lilas",
    .postcode: "69001", .city: "Lyon", .region: "Rhône", .country: "France",
  ])

  @Test(arguments: [0, 1])
  func `every field comes back from its element`(number: Int) throws {
    let format = [CardFormat.vCard4, .vCardTemp][number]
    let element = format.setting(Self.whole.texts, in: nil)
    #expect(format.card(in: element) == Self.whole)
    #expect(Self.whole.texts.count == PersonCard.Field.allCases.count)
  }

  @Test func `an address of a vCard4 has all parts in the order of RFC 6351`() {
    let element = CardFormat.vCard4.setting([.city: "Lyon", .country: "France"], in: nil)
    let address = element.first("adr", CardFormat.vCard4.namespace)
    #expect(
      address?.elements.map(\.name) == [
        "pobox", "ext", "street", "locality", "region", "code", "country",
      ])
    #expect(address?.elements.map(\.text) == ["", "", "", "Lyon", "", "", "France"])
  }

  @Test func `what other clients keep in a card stays, parameters among it`() {
    let space = CardFormat.vCard4.namespace
    let parameters = Element(
      "parameters", space, [:],
      [Element("type", space, [:], [Element("text", space, text: "work")])])
    let old = Element(
      "vcard", space, [:],
      [
        Element("n", space, [:], [Element("surname", space, text: "Dubois")]),
        Element(
          "email", space, [:], [parameters, Element("text", space, text: "old@example.org")]),
        Element("email", space, [:], [Element("text", space, text: "second@example.org")]),
        Element("photo", space, [:], [Element("uri", space, text: "data:x")]),
      ])
    let new = CardFormat.vCard4.setting([.email: "new@example.org", .note: "hi"], in: old)
    #expect(new.elements.map(\.name) == ["n", "email", "email", "photo", "note"])
    #expect(new.elements[1].first("parameters", space) == parameters)
    #expect(CardFormat.vCard4.card(in: new)[.email] == "new@example.org")
    // Taken away, the second one is what is left.
    let less = CardFormat.vCard4.setting([.email: ""], in: new)
    #expect(less.elements.map(\.name) == ["n", "email", "photo", "note"])
    #expect(CardFormat.vCard4.card(in: less)[.email] == "second@example.org")
  }

  @Test func `an address whose last part goes is no address any more`() {
    let format = CardFormat.vCardTemp
    var element = format.setting([.city: "Lyon", .country: "France"], in: nil)
    element = format.setting([.city: ""], in: element)
    #expect(format.card(in: element) == PersonCard([.country: "France"]))
    #expect(format.setting([.country: ""], in: element).elements == [])
  }

  @Test func `other clients' spellings are read too, and replaced by one`() {
    let space = CardFormat.vCard4.namespace
    func holder(_ name: String, _ kind: String, _ text: String) -> Element {
      Element(name, space, [:], [Element(kind, space, text: text)])
    }
    let element = Element(
      "vcard", space, [:],
      [
        holder("tel", "text", "+1 555"), holder("bday", "text", "in spring"),
        holder("note", "text", " \n "), holder("note", "text", " real "),
      ])
    let card = CardFormat.vCard4.card(in: element)
    #expect(card == PersonCard([.phone: "+1 555", .birthday: "in spring", .note: "real"]))
    let new = CardFormat.vCard4.setting([.phone: "+2"], in: element)
    #expect(new.elements.filter { $0.name == "tel" }.flatMap(\.elements).map(\.text) == ["tel:+2"])
    let legacy = Element(
      "vCard", "vcard-temp", [:], [Element("NOTE", "vcard-temp", text: "of Prosody")])
    #expect(CardFormat.vCardTemp.card(in: legacy)[.note] == "of Prosody")
  }

  @Test func `a text from outside is no longer than a field is`() {
    let card = PersonCard([.city: String(repeating: "x", count: 5000), .note: "   "])
    #expect(card[.city].count == 200 && card[.note].isEmpty)
  }
}
