import Testing
import XML

@testable import XMPP

@Suite struct XEP0492NotificationTests {
  func extensions(_ inner: String) throws -> Element {
    let text = "<extensions xmlns='urn:xmpp:bookmarks:1'>\(inner)</extensions>"
    let events = try XMLStreamParser(stanzaLimit: 1 << 20).feed(
      Array(
        ("<stream:stream xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams'>"
          + text).utf8))
    return try #require(
      events.lazy.compactMap { event in
        if case .element(let element) = event { element } else { nil }
      }.first)
  }

  @Test(arguments: [
    (
      "<notify xmlns='urn:xmpp:notification-settings:1'><never/></notify>",
      XEP0492Notification.never
    ),
    ("<notify xmlns='urn:xmpp:notification-settings:1'><always/></notify>", .always),
    (
      "<x xmlns='other'/><notify xmlns='urn:xmpp:notification-settings:1'><on-mention/></notify>",
      .onMention
    ),
    (
      "<notify xmlns='urn:xmpp:notification-settings:1'><always identity-type='phone'/><never/></notify>",
      .never
    ),
    (
      "<notify xmlns='urn:xmpp:notification-settings:1'><always identity-type='phone'/></notify>",
      nil
    ),
    ("<notify xmlns='urn:xmpp:notification-settings:0'><never/></notify>", nil),
    ("<notify xmlns='urn:xmpp:notification-settings:1'><sometimes/></notify>", nil), ("", nil),
  ])
  func `what holds for every client is read`(inner: String, setting: XEP0492Notification?) throws {
    #expect(XEP0492Notification(extensions: try extensions(inner)) == setting)
  }

  @Test func `a setting replaces another, and what others keep stays`() throws {
    let old = try extensions(
      "<x xmlns='other'/><notify xmlns='urn:xmpp:notification-settings:1'><always/><never identity-type='phone'/></notify>"
    )
    let new = XEP0492Notification.extensions(old, with: .onMention)
    #expect(XEP0492Notification(extensions: new) == .onMention)
    #expect(new?.first("x", "other") != nil)
    let notify = new?.first("notify", XEP0492Notification.namespace)
    #expect(notify?.elements.count == 2)
    #expect(notify?.first("never", XEP0492Notification.namespace)?["identity-type"] == "phone")
    let without = XEP0492Notification.extensions(new, with: nil)
    #expect(XEP0492Notification(extensions: without) == nil && without?.elements.count == 2)
  }

  @Test func `nothing at all needs no extensions`() {
    let new = XEP0492Notification.extensions(nil, with: .never)
    #expect(new?.is("extensions", XEP0402Bookmark.namespace) == true)
    #expect(XEP0492Notification.extensions(new, with: nil) == nil)
    #expect(XEP0492Notification(extensions: nil) == nil)
  }
}
