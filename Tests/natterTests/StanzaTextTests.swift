import TestSupport
import Testing
import XMPP

@Suite struct StanzaTextTests {
  @Test(arguments: StanzaError.Condition.allCases)
  func `every condition of RFC 6120 has a sentence`(condition: StanzaError.Condition) throws {
    let text = try #require(try englishTexts()["stanza.\(condition.rawValue)"])
    #expect(text.hasSuffix(". {text:said}"))
  }
}
