import Testing
import XML

@testable import XMPP

/// Names and namespaces as long as a stanza, which are compared with many known ones.
@Suite struct LongNameTests {
  private func element(_ text: String) throws -> Element {
    try #require(ParserRun(streamStart + text).elements.first)
  }

  @Test(arguments: ["x", "a\u{301}", "&#x61;"])
  func `of a long name or namespace the beginning is read`(unit: String) throws {
    let long = String(repeating: unit, count: 50_000)
    let element = try element("<message><z xmlns='urn:\(long)'/></message>")
    let child = try #require(element.elements.first)
    #expect(child.name == "z" && child.namespace.hasPrefix("urn:"))
    // Separators of clusters may have been inserted.
    #expect(child.namespace.utf8.count <= 2048)
    #expect(!child.is("z", "urn:x"))
    let name = String(repeating: "n", count: 50_000)
    let named = try self.element("<message><\(name)/></message>").elements.first
    #expect(named?.name == String(repeating: "n", count: 1024))
  }

  @Test func `attributes in a namespace are found by their whole keys`() throws {
    let long = String(repeating: "u", count: 50_000)
    let element = try element(
      "<message xmlns:p='\(long)' xmlns:q='v' p:from='1' q:from='2' xml:lang='fr' id='3'/>")
    #expect(element["from"] == nil)
    #expect(element["{\(long)}from"] == "1")
    #expect(element["{v}from"] == "2")
    #expect(element["xml:lang"] == "fr")
    #expect(element["id"] == "3")
  }
}
