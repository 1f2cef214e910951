import Testing
import XML
import XMPP

/// Reactions (XEP-0444), retractions (XEP-0424) and moderation (XEP-0425) as they are written.
@Suite struct MessageEffectTests {
  private func stanza(_ parts: [Element], from: String? = nil, type: String = "chat")
    -> MessageStanza
  {
    var element = Element("message", Namespace.client, ["type": type], parts)
    element["from"] = from
    return MessageStanza(element)
  }

  @Test func `reactions come back the same, and are to be kept`() {
    let sent = XEP0444Reactions(id: "m1", emoji: ["👍", "❤️"])
    let read = stanza(sent.elements)
    #expect(read.reactions == sent)
    #expect(read.element.first("store", "urn:xmpp:hints") != nil && read.body == nil)
    #expect(stanza(XEP0444Reactions(id: "m1", emoji: []).elements).reactions?.emoji == [])
    #expect(stanza(XEP0444Reactions(id: "", emoji: ["👍"]).elements).reactions == nil)
    #expect(stanza([]).reactions == nil)
  }

  @Test func `what is no reaction is left out, and of many some`() {
    let odd = ["👍", " 👍 ", "two words", "", "a long sentence", "\u{7}", "👍"]
    #expect(stanza(XEP0444Reactions(id: "m1", emoji: odd).elements).reactions?.emoji == ["👍"])
    let many = (0..<50).map { "e\($0)" }
    #expect(stanza(XEP0444Reactions(id: "m1", emoji: many).elements).reactions?.emoji.count == 20)
    // A family of four with its joiners is one.
    #expect(XEP0444Reactions.isFit("👨‍👩‍👧‍👦") && XEP0444Reactions.isFit("🏴󠁧󠁢󠁥󠁮󠁧󠁿"))
    #expect(XEP0444Reactions.bare("❤️") == "❤" && XEP0444Reactions.bare("👍") == "👍")
  }

  @Test func `a retraction names what it takes back`() {
    let read = stanza(
      [Element("body", Namespace.client, text: "gone")] + XEP0424Retraction.elements(of: "m1"))
    #expect(read.retraction?.id == "m1" && read.retraction?.isModerated == false)
    let fallback = read.element.first("fallback", XEP0428Fallback.namespace)
    #expect(fallback?["for"] == "urn:xmpp:message-retract:1")
    #expect(stanza([Element("retract", XEP0424Retraction.namespace)]).retraction == nil)
    #expect(stanza([]).retraction == nil)
  }

  @Test func `a moderator requests what the room understands`() throws {
    let room = JID(local: "tea", domain: "rooms.example.org")
    func request(_ features: String..., reason: String? = nil) -> Element? {
      XEP0425Moderation.request(
        retracting: "s1", in: room, reason: reason, features: Set(features))
    }
    let (current, former) = ("urn:xmpp:message-moderate:1", "urn:xmpp:message-moderate:0")
    let newer = try #require(request(former, current, reason: "spam"))
    #expect(newer["type"] == "set" && newer["to"] == "tea@rooms.example.org")
    let moderate = try #require(newer.first("moderate", current))
    #expect(moderate["id"] == "s1")
    #expect(moderate.first("retract", XEP0424Retraction.namespace) != nil)
    #expect(moderate.first("reason", current)?.text == "spam")

    let older = try #require(request(former)?.first("apply-to", "urn:xmpp:fasten:0"))
    #expect(older["id"] == "s1")
    let inner = try #require(older.first("moderate", former))
    #expect(inner.first("retract", "urn:xmpp:message-retract:0") != nil)
    #expect(inner.first("reason", former) == nil)
    #expect(request("muc_moderated") == nil)
  }

  @Test func `earlier versions are understood, too`() {
    func applied(_ children: [Element]) -> MessageStanza {
      stanza([Element("apply-to", "urn:xmpp:fasten:0", ["id": "m1"], children)])
    }
    let retract = Element("retract", "urn:xmpp:message-retract:0")
    #expect(applied([retract]).retraction?.isModerated == false)
    let moderated = Element(
      "moderated", "urn:xmpp:message-moderate:0", ["by": "r@x/bob"], [retract])
    #expect(applied([moderated]).retraction?.isModerated == true)
    #expect(applied([Element("other", "x")]).retraction == nil)
    let newer = Element(
      "retract", XEP0424Retraction.namespace, ["id": "m1"],
      [Element("moderated", "urn:xmpp:message-moderate:1", ["by": "r@x/bob"])])
    #expect(stanza([newer]).retraction?.isModerated == true)
  }

  @Test func `what an archive keeps of one is distinguished from a message`() {
    let kept = Element("retracted", XEP0424Retraction.namespace, ["stamp": "2020-01-01T00:00:00Z"])
    #expect(stanza([kept]).tombstone == false)
    #expect(stanza([Element("body", Namespace.client, text: "x"), kept]).tombstone == nil)
    let moderated = Element(
      "moderated", "urn:xmpp:message-moderate:0", [:],
      [Element("retracted", "urn:xmpp:message-retract:0")])
    #expect(stanza([moderated]).tombstone == true)
    #expect(stanza([]).tombstone == nil)
  }
}
