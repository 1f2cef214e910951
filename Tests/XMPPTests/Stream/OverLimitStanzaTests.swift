import Testing
import XML

@testable import XMPP

/// Messages and presences over a limit of the parser, of which a part was read.
@Suite struct OverLimitStanzaTests {
  private static let deep =
    String(repeating: "<a>", count: 200) + String(repeating: "</a>", count: 200)
  private static let notFound =
    "<error type='cancel'><item-not-found xmlns='\(Namespace.stanzaErrors)'/></error>"
  private static let person = "id='1' from='bob@b.example/x' to='alice@a.example'"

  private func stanza(_ name: String, _ attributes: String, _ content: String) throws -> Stanza? {
    let parser = XMLStreamParser(skipsStanzas: true)
    let header = "<stream:stream xmlns='\(Namespace.client)' xmlns:stream='\(Namespace.streams)'>"
    let events = try parser.feed(
      Array("\(header)<\(name) \(attributes)>\(content)</\(name)>".utf8))
    guard case .element(let element) = events.last else { return nil }
    #expect(element.exceedsLimit)
    return Stanza(element)
  }

  private func message(_ attributes: String, _ content: String) throws -> MessageStanza? {
    guard case .message(let message) = try stanza("message", attributes, content) else {
      return nil
    }
    return message
  }

  private func presence(_ attributes: String, _ content: String) throws -> PresenceStanza? {
    guard case .presence(let presence) = try stanza("presence", attributes, content) else {
      return nil
    }
    return presence
  }

  @Test(
    arguments: [
      (OverLimitStanzaTests.deep + OverLimitStanzaTests.notFound, .undefinedCondition),
      (OverLimitStanzaTests.notFound + OverLimitStanzaTests.deep, .itemNotFound),
      ("<body>x</body>" + OverLimitStanzaTests.deep, .undefinedCondition),
    ] as [(String, StanzaError.Condition)])
  func `a refusal is one, whatever comes back with it`(
    content: String, condition: StanzaError.Condition
  ) throws {
    let refused = try #require(try message("type='error' \(Self.person)", content))
    #expect(refused.refusal?.condition == condition)
    #expect(refused.id == "1" && refused.from?.description == "bob@b.example/x")
    #expect(refused.to?.description == "alice@a.example")
    let entrance = "type='error' id='1' from='den@rooms.example/alice'"
    let outside = try #require(try presence(entrance, content))
    #expect(outside.kind == .error && outside.error?.condition == condition)
    #expect(outside.from?.resource == "alice")
  }

  @Test(arguments: ["type='chat' ", "", "type='groupchat' ", "type='mystery' "])
  func `a message of a client whose content was not read is one that cannot be read`(
    type: String
  ) throws {
    let ids = "<origin-id xmlns='\(Namespace.stanzaIDs)' id='o'/>"
    let message = try #require(try message(type + Self.person, ids + Self.deep))
    #expect(message.content == .unknown(namespace: MessageStanza.overLimitNamespace))
    #expect(message.id == "1" && message.originID == "o" && message.isStored)
    #expect(message.element["type"] == (type.isEmpty ? nil : String(type.dropFirst(6).dropLast(2))))
  }

  @Test func `a text that was read is the message`() throws {
    let message = try #require(
      try message(Self.person, "<body>hello</body><subject>s</subject>" + Self.deep))
    #expect(message.content == .text && message.body == "hello" && message.subject == "s")
  }

  @Test(arguments: [
    "", "from='a.example'", "from='alice@a.example'", "from='rooms.example/x'",
    "from='bob@b.example/r\u{AD}'",
  ])
  func `a message of a server whose content was not read is dropped`(sender: String) throws {
    #expect(try stanza("message", sender, Self.deep) == nil)
  }

  @Test(
    arguments: [("unavailable", .unavailable), ("subscribe", .subscribe), ("", .available)]
      as [(String, PresenceStanza.PresenceType)])
  func `a presence is what it was until the limit`(type: String, kind: PresenceStanza.PresenceType) throws {
    let attribute = type.isEmpty ? "" : "type='\(type)' "
    let presence = try #require(
      try presence(attribute + Self.person, "<show>dnd</show>" + Self.deep + "<status>x</status>"))
    #expect(presence.kind == kind && presence.show == "dnd" && presence.status == nil)
  }

  @Test(arguments: ["get", "set", "result", "error"])
  func `a request or an answer is not read in part`(type: String) throws {
    #expect(
      try stanza("iq", "type='\(type)' \(Self.person)", Self.notFound + Self.deep) == nil)
  }
}
