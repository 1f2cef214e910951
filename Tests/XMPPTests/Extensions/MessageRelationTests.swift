import Testing
import XML
import XMPP

/// Corrections (XEP-0308), replies (XEP-0461) and their fallbacks (XEP-0428).
@Suite struct MessageRelationTests {
  private func stanza(_ body: String?, _ parts: Element...) -> MessageStanza {
    MessageStanza(
      Element(
        "message", Namespace.client, ["type": "chat"],
        (body.map { [Element("body", Namespace.client, text: $0)] } ?? []) + parts))
  }

  private func fallback(_ attributes: [String: String], for purpose: String = "urn:xmpp:reply:0")
    -> Element
  {
    Element(
      "fallback", XEP0428Fallback.namespace, ["for": purpose],
      [Element("body", XEP0428Fallback.namespace, Attributes(attributes))])
  }

  @Test func `a correction names what it replaces`() {
    let sent = XEP0308Correction.replacing("bad1")
    #expect(sent["id"] == "bad1" && sent.is("replace", "urn:xmpp:message-correct:0"))
    #expect(stanza("good", sent).correctedID == "bad1")
    #expect(stanza("good").correctedID == nil)
    #expect(stanza("good", XEP0308Correction.replacing("")).correctedID == nil)
  }

  @Test func `an answer comes back the same`() {
    let author = JID(local: "anna", domain: "example.org", resource: "a")
    for reply in [XEP0461Reply(id: "1", author: author), XEP0461Reply(id: "2", author: nil)] {
      #expect(stanza("yes", reply.element).reply == reply)
    }
    #expect(stanza("yes", Element("reply", XEP0461Reply.namespace)).reply == nil)
    #expect(
      stanza("yes", Element("reply", XEP0461Reply.namespace, ["id": "1", "to": "@@"])).reply
        == XEP0461Reply(id: "1", author: nil))
  }

  @Test func `a quotation is measured in code points and removed`() {
    let quotation = XEP0461Reply.quotation(of: "👩‍👩‍👧 yes\nor é")
    #expect(quotation == "> 👩‍👩‍👧 yes\n> or é\n")
    let count = quotation.unicodeScalars.count
    let parts = stanza(
      quotation + "I agree", XEP0428Fallback.element(for: XEP0461Reply.namespace, 0..<count)
    ).body(withoutFallbackFor: XEP0461Reply.namespace)
    #expect(parts?.kept == "I agree")
    #expect(parts.map { XEP0461Reply.text(ofQuotation: $0.dropped) } == "👩‍👩‍👧 yes\nor é")
  }

  @Test func `a quotation keeps empty lines, and needs no blank behind its mark`() {
    #expect(XEP0461Reply.quotation(of: "a\n\nb") == "> a\n> \n> b\n")
    #expect(XEP0461Reply.text(ofQuotation: "> a\n> \n>b\n>  c\nd\n") == "a\n\nb\n c\nd")
    #expect(XEP0461Reply.text(ofQuotation: ">\n> a") == "\na")
    #expect(XEP0461Reply.text(ofQuotation: "") == "")
    #expect(XEP0461Reply.text(ofQuotation: ">") == "")
  }

  @Test func `without numbers all of it is a fallback, and several parts are`() {
    #expect(stanza("> a", fallback([:])).body(withoutFallbackFor: "urn:xmpp:reply:0")?.kept == "")
    #expect(
      stanza("> a\nb", fallback(["end": "4"])).body(withoutFallbackFor: "urn:xmpp:reply:0")?.kept
        == "b")
    let two = stanza("abcdef", fallback(["start": "0", "end": "2"]), fallback(["start": "4"]))
    #expect(two.body(withoutFallbackFor: "urn:xmpp:reply:0")?.kept == "cd")
  }

  @Test(arguments: [
    ["start": "2", "end": "1"], ["start": "-1", "end": "2"], ["start": "0", "end": "99"],
    ["start": "x", "end": "2"], ["start": "0", "end": "18446744073709551616"],
  ])
  func `numbers that cannot be leave the text alone`(attributes: [String: String]) {
    #expect(
      stanza("> a\nb", fallback(attributes)).body(withoutFallbackFor: "urn:xmpp:reply:0") == nil)
  }

  @Test func `a fallback for something else stays`() {
    #expect(
      stanza("text", fallback([:], for: "urn:xmpp:sfs:0"))
        .body(withoutFallbackFor: "urn:xmpp:reply:0") == nil)
    #expect(stanza(nil, fallback([:])).body(withoutFallbackFor: "urn:xmpp:reply:0") == nil)
  }
}
