import TestSupport
import Testing
import XML
import XMPP

@Suite struct XEP0201ThreadTests {
  private func stanza(_ content: String) throws -> MessageStanza {
    MessageStanza(
      try Element(xml: "<message xmlns='jabber:client' type='chat'>\(content)</message>"))
  }

  @Test func `an id is read as it is, with that of the thread it came from`() throws {
    let id = "e0ffe42b28561960c6b12b944a092794b9683a38"
    let plain = try #require(try stanza("<body>hi</body><thread>\(id)</thread>").thread)
    #expect(plain.id == id && plain.parent == nil)
    let child = try #require(try stanza("<thread parent='7edac73ab4'>&lt;x&gt; </thread>").thread)
    #expect(child.id == "<x> " && child.parent == "7edac73ab4")
    #expect(XEP0201Thread(child.element) == child)
    #expect(child.element["parent"] == "7edac73ab4" && child.element.text == "<x> ")
    #expect(plain.element["parent"] == nil)
  }

  @Test(arguments: [
    "<body>hi</body>", "<thread/>", "<thread> \n</thread>", "<thread><b>x</b></thread>",
    "<thread xmlns='urn:example'>x</thread>",
  ])
  func `a message without an id is in no thread`(content: String) throws {
    #expect(try stanza(content).thread == nil)
  }

  @Test func `a long id is ignored, because a part of it would name another thread`() throws {
    let longest = String(repeating: "x", count: XEP0201Thread.idLimit)
    #expect(try stanza("<thread>\(longest)</thread>").thread?.id == longest)
    #expect(try stanza("<thread>\(longest)x</thread>").thread == nil)
    // Bytes count, not characters.
    #expect(XEP0201Thread(id: String(repeating: "é", count: 129)) == nil)
    let parent = XEP0201Thread(id: "a", parent: longest + "x")
    #expect(parent != nil && parent?.parent == nil)
  }

  @Test func `a thread is not its own parent, and an empty parent is none`() {
    #expect(XEP0201Thread(id: "a", parent: "a")?.parent == nil)
    #expect(XEP0201Thread(id: "a", parent: "")?.parent == nil)
    #expect(XEP0201Thread(id: "a", parent: "b")?.parent == "b")
  }

  @Test(arguments: ["a\u{0}", "a\u{1B}[31m", "a\r\nb", "\u{FFFF}"])
  func `an id that cannot be sent is none`(id: String) {
    #expect(XEP0201Thread(id: id) == nil)
  }

  @Test func `ids are compared byte by byte`() {
    let composed = XEP0201Thread(id: "\u{E9}")
    #expect(composed != XEP0201Thread(id: "e\u{301}"))
    #expect(composed == XEP0201Thread(id: "\u{E9}"))
    #expect(XEP0201Thread(id: "a", parent: "b") != XEP0201Thread(id: "a"))
    #expect(Set([composed, XEP0201Thread(id: "e\u{301}"), composed]).count == 2)
  }
}
