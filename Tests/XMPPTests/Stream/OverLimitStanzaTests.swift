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
    "",
    "<html xmlns='\(XEP0071XHTML.namespace)'><body xmlns='http://www.w3.org/1999/xhtml'>hi</body></html>",
  ])
  func `a subject is no change of the room's where a body may follow`(content: String) throws {
    let message = try #require(
      try message(
        "type='groupchat' \(Self.person)",
        "<subject>s</subject>" + content + Self.deep + "<body>x</body>"))
    #expect(!message.isSubjectChange && message.content == .text && message.subject == "s")
  }

  @Test(arguments: [
    "", "from='a.example'", "from='alice@a.example'", "from='rooms.example/x'",
    "from='bob@b.example/r\u{AD}'",
  ])
  func `a message of a server whose content was not read is dropped`(sender: String) throws {
    #expect(try stanza("message", sender, Self.deep) == nil)
  }

  private static let delay = "<delay xmlns='\(Namespace.delay)' stamp='2024-01-01T00:00:00Z'/>"

  private func forwarded(
    _ content: String, from: String = "bob@b.example/x", isDelayFirst: Bool = true
  ) -> String {
    "<forwarded xmlns='\(XEP0280Carbon.forwardNamespace)'>" + (isDelayFirst ? Self.delay : "")
      + "<message xmlns='\(Namespace.client)' id='1' from='\(from)'>\(content)</message>"
      + (isDelayFirst ? "" : Self.delay) + "</forwarded>"
  }

  @Test(arguments: [true, false], ["", "<body>hello</body>"])
  func `its time is kept, wherever that is`(isDelayFirst: Bool, content: String) throws {
    let time = try #require(XEP0082DateTime.date(from: "2024-01-01T00:00:00Z"))
    let result = try #require(
      try message(
        "from='alice@a.example'",
        "<result xmlns='\(Namespace.archive)' queryid='q' id='7'>"
          + forwarded(content + Self.deep, isDelayFirst: isDelayFirst) + "</result>"))
    #expect(XEP0313Result.read(result)?.result.stamp == time)
    let parts = isDelayFirst ? [Self.delay, content, Self.deep] : [content, Self.deep, Self.delay]
    #expect(try message(Self.person, parts.joined())?.delay == time)
  }

  @Test(arguments: ["", "<body>hello</body>"])
  func `so is one in an archive, and in a copy`(content: String) throws {
    let account = JID(local: "alice", domain: "a.example")
    let expected =
      content.isEmpty
      ? MessageStanza.Content.unknown(namespace: MessageStanza.overLimitNamespace) : .text
    let result = try #require(
      try message(
        "from='alice@a.example'",
        "<result xmlns='\(Namespace.archive)' queryid='q' id='7'>"
          + forwarded(content + Self.deep) + "</result>"))
    let archived = try #require(XEP0313Result.read(result)?.result)
    #expect(archived.id == "7" && archived.message.content == expected)
    #expect(archived.message.id == "1" && archived.message.from?.resource == "x")
    let wrapper = try #require(
      try message(
        "from='alice@a.example'",
        "<received xmlns='\(XEP0280Carbon.namespace)'>" + forwarded(content + Self.deep)
          + "</received>"))
    #expect(XEP0280Carbon(wrapper, of: account)?.message.content == expected)
    // Nothing is left of one whose sender cannot be read.
    let unreadable = try message(
      "from='alice@a.example'",
      "<result xmlns='\(Namespace.archive)' queryid='q' id='7'>"
        + forwarded(content + Self.deep, from: "bob@b.example/\u{AD}") + "</result>")
    #expect(unreadable.flatMap { XEP0313Result.read($0) } == nil)
  }

  @Test(
    arguments: [("unavailable", .unavailable), ("subscribe", .subscribe), ("", .available)]
      as [(String, PresenceStanza.PresenceType)])
  func `a presence is what it was until the limit`(type: String, kind: PresenceStanza.PresenceType)
    throws
  {
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
