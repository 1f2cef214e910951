import Testing
import XML

@testable import XMPP

/// By the examples of XEP-0433.
@Suite struct ChannelSearchTests {
  private let service = JID(local: nil, domain: "search.example.org")

  private func parsed(_ payload: String) throws -> Element {
    try #require(Element(keptText: "<iq xmlns='jabber:client' type='result'>\(payload)</iq>"))
  }

  @Test func `a question has search terms or asks for everything, never both`() throws {
    func fields(_ text: String, _ order: XEP0433.Order) throws -> [String: [String]] {
      let iq = XEP0433.search(text, at: service, by: order, XEP0059Request(.first, limit: 5))
      let search = try #require(iq.first("search", XEP0433.namespace))
      #expect(iq["type"] == "get" && iq["to"] == "search.example.org")
      let form = try #require(
        search.first("x", Namespace.dataForms).flatMap { XEP0004DataForm($0) })
      return Dictionary(uniqueKeysWithValues: form.fields.map { ($0.name ?? "", $0.values) })
    }
    let all = try fields("", .address)
    #expect(all["all"] == ["true"] && all["q"] == nil)
    #expect(all["key"] == ["{urn:xmpp:channel-search:0:order}address"])
    #expect(all["FORM_TYPE"] == ["urn:xmpp:channel-search:0:search-params"])
    let some = try fields("tea", .people)
    #expect(some["q"] == ["tea"] && some["all"] == nil)
    #expect(some["key"] == ["{urn:xmpp:channel-search:0:order}nusers"])
  }

  @Test func `items are read as the examples and the table have them`() throws {
    let answer = try parsed(
      """
      <result xmlns='urn:xmpp:channel-search:0:search'>
      <item address='commteam@muc.xmpp.org'><name>commteam</name><nusers>10</nusers><is-open/></item>
      <item address='a@b.example'><is-open>false</is-open>\
      <anonymity-mode>{urn:xmpp:channel-search:0:anonymity}none</anonymity-mode></item>
      <item address='c@b.example'><nusers>-3</nusers><is-open>1</is-open>\
      <anonymity-mode>muc_semianonymous</anonymity-mode><service-type>xep-0045</service-type></item>
      <item address='d@b.example'><service-type>xep-0369</service-type></item>
      <item address='b.example'/><item/>
      <set xmlns='http://jabber.org/protocol/rsm'><first>1</first><last>2</last></set></result>
      """)
    let page = try #require(XEP0433.items(in: answer))
    #expect(page.items.map(\.jid.local) == ["commteam", "a", "c"] && page.last == "2")
    #expect(page.items.map(\.isOpen) == [true, false, true])
    #expect(page.items.map(\.isNonAnonymous) == [false, true, false])
    #expect(page.items.map(\.people) == [10, nil, nil])
    #expect(XEP0433.items(in: try parsed("<query xmlns='a:b'/>")) == nil)
  }

  @Test func `a search's objection to a question is distinguished from other errors`() throws {
    func objection(_ condition: String, _ own: String) throws -> XEP0433.Objection? {
      let error = try #require(
        Element(
          keptText: """
            <error xmlns='jabber:client' type='wait'><\(condition) \
            xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/>\(own)</error>
            """))
      return XEP0433.objection(in: StanzaError(error))
    }
    let space = "xmlns='urn:xmpp:channel-search:0:error'"
    #expect(
      try objection("resource-constraint", "<rate-limit \(space) retry-after='30'/>")
        == .rate(seconds: 30))
    #expect(
      try objection("resource-constraint", "<rate-limit \(space) retry-after='soon'/>")
        == .rate(seconds: nil))
    #expect(
      try objection("not-allowed", "<full-set-retrieval-rejected \(space)/>") == .wholeList)
    #expect(try objection("feature-not-implemented", "<invalid-sort-key \(space)/>") == .order)
    #expect(try objection("bad-request", "<invalid-search-terms \(space)/>") == nil)
    #expect(try objection("not-allowed", "<rate-limit xmlns='urn:other'/>") == nil)
    #expect(try objection("not-allowed", "") == nil)
  }
}
