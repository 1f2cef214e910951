import TestSupport
import Testing
import XML

@testable import XMPP

/// Identifiers of any length: bounded, and the same wherever a message is referred to.
@Suite struct LongIdentifierTests {
  private static let long = String(repeating: "ä1", count: 20_000)

  private func message(_ id: String) throws -> MessageStanza {
    MessageStanza(
      try Element(
        xml: """
          <message from='bob@example.org' id='\(id)'>\
          <origin-id xmlns='urn:xmpp:sid:0' id='\(id)'/>\
          <stanza-id xmlns='urn:xmpp:sid:0' id='\(id)' by='alice@example.org'/>\
          <occupant-id xmlns='urn:xmpp:occupant-id:0' id='\(id)'/>\
          <replace xmlns='urn:xmpp:message-correct:0' id='\(id)'/>\
          <reply xmlns='urn:xmpp:reply:0' id='\(id)'/>\
          <reactions xmlns='urn:xmpp:reactions:0' id='\(id)'/>\
          <retract xmlns='urn:xmpp:message-retract:1' id='\(id)'/>\
          <received xmlns='urn:xmpp:receipts' id='\(id)'/>\
          <displayed xmlns='urn:xmpp:chat-markers:0' id='\(id)'/></message>
          """))
  }

  private func identifiers(_ message: MessageStanza) -> [String?] {
    let alice = JID(local: "alice", domain: "example.org")
    return [
      message.id, message.originID, message.stanzaID(by: alice),
      message.occupantID, message.correctedID, message.reply?.id, message.reactions?.id,
      message.retraction?.id, message.receiptID, message.displayedID,
    ]
  }

  @Test(arguments: ["a", String(repeating: "i", count: 1100)])
  func `an identifier that a program may generate stays as it is`(id: String) throws {
    #expect(identifiers(try message(id)).allSatisfy { $0 == id })
  }

  @Test func `a request whose id is too long to be repeated is not read`() {
    func isRead(_ count: Int) -> Bool {
      var iq = Element("iq", Namespace.client, ["type": "get", "from": "bob@example.org/a"])
      iq["id"] = count == 0 ? nil : String(repeating: "'", count: count)
      return Stanza(iq) != nil
    }
    #expect(isRead(0) && isRead(20) && isRead(1024))
    #expect(!isRead(1025) && !isRead(60_000))
  }

  @Test func `an empty identifier is none`() throws {
    let message = try message("")
    let found = identifiers(message) + [message.receivedMarkerID]
    #expect(found.allSatisfy { $0 == nil })
  }

  @Test func `of a longer one all references are the same, and short`() throws {
    let kept = identifiers(try message(Self.long))
    let first = try #require(kept.first ?? nil)
    #expect(kept.allSatisfy { $0 == first })
    // Longer than what answers repeat (`AnswerLimit`).
    #expect((1025...1100).contains(first.utf8.count))
    // Read again, it is the same.
    #expect(first.identifier == first)
  }

  @Test func `two identifiers that differ at the end stay different`() {
    #expect((Self.long + "a").identifier != (Self.long + "b").identifier)
  }
}
