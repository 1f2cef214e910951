import Testing
import XML

@testable import XMPP

@Suite struct MicroblogTests {
  private func element(_ xml: String) throws -> Element {
    let parser = XMLStreamParser()
    let events = try parser.feed(XMLWriter().streamHeader([:]) + Array(xml.utf8))
    for case .element(let element) in events { return element }
    throw ChannelError.notConnected
  }

  @Test func `a post that is written is read as it was`() throws {
    let entry = XEP0277Entry(
      id: "1", author: "Bob", title: "A <b> & more", text: "text\nof it",
      published: "2026-11-20T13:00:00Z",
      comments: .init(service: JID(local: "bob", domain: "example.net"), node: "c/1;x=ü"))
    var read = try #require(XEP0277Entry(item: entry.item))
    read.updated = nil
    #expect(read == entry)
  }

  @Test func `XHTML becomes lines of text, and only web pages are links`() throws {
    let item = try element(
      """
      <item xmlns='http://jabber.org/protocol/pubsub' id='x' publisher='bob@example.net'>\
      <entry xmlns='http://www.w3.org/2005/Atom'><title type='xhtml'>\
      <div xmlns='http://www.w3.org/1999/xhtml'>Big <b>news</b></div></title>\
      <content type='xhtml'><div xmlns='http://www.w3.org/1999/xhtml'><p>One</p><p>Two</p></div>\
      </content><updated>2026-11-20T13:00:00Z</updated>\
      <link rel='alternate' href='javascript:alert(1)'/><link href='https://example.org/'/>\
      <link rel='replies' href='xmpp:pubsub.example.org?;node=urn%3Axmpp%3Ac'/>\
      <link rel='replies' href='https://example.org/comments'/></entry></item>
      """)
    let entry = try #require(XEP0277Entry(item: item))
    #expect(entry.title == "Big news" && entry.text == "One\nTwo")
    #expect(entry.author == "bob@example.net" && entry.published == "2026-11-20T13:00:00Z")
    #expect(entry.link == "https://example.org/")
    #expect(
      entry.comments
        == .init(service: JID(local: nil, domain: "pubsub.example.org"), node: "urn:xmpp:c"))
  }

  @Test(arguments: [
    "<item xmlns='http://jabber.org/protocol/pubsub'><entry xmlns='http://www.w3.org/2005/Atom'/></item>",
    "<item xmlns='http://jabber.org/protocol/pubsub' id=''><entry xmlns='http://www.w3.org/2005/Atom'/></item>",
    "<item xmlns='http://jabber.org/protocol/pubsub' id='x'><entry xmlns='other'/></item>",
    "<item xmlns='http://jabber.org/protocol/pubsub' id='x'/>",
  ])
  func `what is no entry, or has no id, is no post`(xml: String) throws {
    #expect(XEP0277Entry(item: try element(xml)) == nil)
  }
}
