import Testing
import XML
import XMPP

@Suite struct StanzaErrorTests {
  /// RFC 6120 §8.3.3, copied from the document.
  static let conditions = """
    bad-request conflict feature-not-implemented forbidden gone internal-server-error item-not-found jid-malformed
    not-acceptable not-allowed not-authorized policy-violation recipient-unavailable redirect registration-required
    remote-server-not-found remote-server-timeout resource-constraint service-unavailable subscription-required
    undefined-condition unexpected-request
    """.split(whereSeparator: \.isWhitespace).map(String.init)

  @Test func `the conditions are those of the RFC, spelled as there`() {
    #expect(Set(StanzaError.Condition.allCases.map(\.rawValue)) == Set(Self.conditions))
  }

  @Test func `the kinds are those of the RFC`() {
    #expect(
      Set(StanzaError.ErrorType.allCases.map(\.rawValue))
        == ["auth", "cancel", "continue", "modify", "wait"])
  }

  @Test func `an error comes back the same`() {
    let error = StanzaError(
      .modify, .notAcceptable, text: "too large",
      applicationCondition: Element("file-too-large", "urn:xmpp:http:upload:0"))
    #expect(StanzaError(error.element).condition == .notAcceptable)
    #expect(StanzaError(error.element) == error)
    #expect(error.explanation == "too large (not acceptable)")
  }

  @Test(arguments: [StanzaError.Condition.gone, .redirect])
  func `an error names the address to go to instead`(condition: StanzaError.Condition) {
    let error = StanzaError(.cancel, condition, newAddress: "xmpp:new@rooms.example.org?join")
    #expect(StanzaError(error.element) == error)
    #expect(error.element.elements.first?.text == "xmpp:new@rooms.example.org?join")
    #expect(StanzaError(StanzaError(.cancel, condition).element).newAddress == nil)
  }

  @Test(arguments: [
    ("from='den@rooms.example.org/bob' to='alice@example.org/x'", "", "den@rooms.example.org/bob"),
    ("from='bob@example.net' to='alice@example.org/x'", " by='example.net'", "example.net"),
    // The sender does not speak for another server, above all not for the user's.
    ("from='bob@example.net' to='alice@example.org/x'", " by='example.org'", "bob@example.net"),
    ("from='bob@example.net' to='alice@example.org/x'", " by='a@b/'", "bob@example.net"),
    // What comes of the account itself, its server says.
    ("from='alice@example.org' to='alice@example.org/x'", "", "example.org"),
    ("to='alice@example.org/x'", "", "example.org"), ("", "", nil),
  ])
  func `an error names the source of its text`(addresses: String, by: String, speaker: String?)
    throws
  {
    #expect(try read(addresses, by)?.speaker?.description == speaker)
  }

  private func read(
    _ addresses: String, _ by: String, _ condition: String = "not-allowed", _ more: String = ""
  ) throws -> StanzaError? {
    let events = try XMLStreamParser(stanzaLimit: 10_000).feed(
      Array(
        ("<s:stream xmlns:s='\(Namespace.streams)' xmlns='\(Namespace.client)'>"
          + "<iq type='error' id='1' \(addresses)><error type='cancel'\(by)>"
          + "<\(condition) xmlns='\(Namespace.stanzaErrors)'/>\(more)</error></iq>").utf8))
    guard case .element(let element)? = events.last else {
      Issue.record("no stanza")
      return nil
    }
    return IQ(element).error
  }

  @Test(arguments: [
    // The account's server names itself, or another sender makes believe that it does.
    ("bob@example.net", " by='example.org'", "not-allowed", "", true),
    ("rooms.example.net", " by='alice@example.org'", "not-allowed", "", true),
    // It alone cannot reach another one, and refuses what the account has blocked.
    ("bob@example.net", "", "remote-server-not-found", "", true),
    ("example.net", "", "remote-server-timeout", "", true),
    ("bob@example.net", "", "not-acceptable", "<blocked xmlns='urn:xmpp:blocking:errors'/>", true),
    // It answers for its other users, and so do their clients.
    ("bob@example.org", "", "service-unavailable", "", true),
    ("bob@example.org/x", " by='example.org'", "service-unavailable", "", true),
    ("bob@example.net", "", "service-unavailable", "", false),
    ("bob@example.net", " by='example.net'", "remote-server-timeout", "", false),
    ("den@rooms.example.org", "", "forbidden", "", false),
    ("example.org", "", "not-allowed", "", false),
    ("example.org", " by='example.org'", "remote-server-timeout", "", false),
    ("alice@example.org", "", "not-allowed", "", false),
  ])
  func `what the account's server may have said is no one else's word for certain`(
    from: String, by: String, condition: String, more: String, isDoubtful: Bool
  ) throws {
    let error = try #require(
      try read("from='\(from)' to='alice@example.org/x'", by, condition, more))
    #expect(error.isDoubtful == isDoubtful)
    #expect(try read("", by, condition, more)?.isDoubtful == false)
  }

  @Test func `an uncertain text is no reason of the speaker`() {
    let (room, text) = (JID(local: "den", domain: "rooms.example.org"), "no")
    for isDoubtful in [false, true] {
      let error = StanzaError(
        .cancel, .notAllowed, text: text, speaker: room, isDoubtful: isDoubtful)
      #expect(error.certainText == (isDoubtful ? nil : text))
    }
  }

  @Test func `of a long text the beginning is read`() {
    let long = String(repeating: "\u{E9}", count: 100_000)
    let error = StanzaError(StanzaError(.cancel, .forbidden, text: long).element)
    #expect(error.text == String(long.prefix(1024)))
  }

  @Test func `what an error does not say is cancel and undefined`() {
    let error = StanzaError(Element("error", Namespace.client, ["type": "loud"]))
    #expect(error.kind == .cancel)
    #expect(error.condition == .undefinedCondition)
    #expect(error.explanation == "undefined condition")
  }
}
