import TestSupport
import Testing
import XML
import XMPP

// Requests and answers over a limit of the parser, of which only the start tag is read.
extension XMPPStreamTests {
  private static let deep =
    String(repeating: "<a>", count: 200) + String(repeating: "</a>", count: 200)

  @Test(arguments: ["result", "error"], [nil, "bob@a.example/x"])
  func `a request whose answer is over a limit fails at once`(type: String, to: String?)
    async throws
  {
    try await withSession { stream, server in
      var iq = question
      iq["to"] = to
      // No time limit ends it: it would wait for ever.
      async let answer = stream.request(iq, timeout: .seconds(5))
      let id = Server.id(in: try await server.expect("</iq>"))
      let from = to.map { " from='\($0)'" } ?? ""
      try await server.send("<iq type='\(type)' id='\(id)'\(from)>\(Self.deep)</iq>")
      do {
        let element = try await answer
        Issue.record("answered: \(element)")
      } catch {
        #expect(error as? StanzaError == .answerTooLarge)
      }
      #expect(await stream.droppedStanzas == 1)
    }
  }

  @Test func `an error that ended before the limit is the answer`() async throws {
    try await withSession { stream, server in
      async let answer = stream.request(question, timeout: .seconds(5))
      let id = Server.id(in: try await server.expect("</iq>"))
      let error = "<forbidden xmlns='\(Namespace.stanzaErrors)'/>"
      try await server.send(
        "<iq type='error' id='\(id)'><error type='auth'>\(error)</error>\(Self.deep)</iq>")
      do {
        Issue.record("answered: \(try await answer)")
      } catch {
        #expect((error as? StanzaError)?.condition == .forbidden)
      }
    }
  }

  @Test func `only the entity that was asked makes it fail`() async throws {
    try await withSession { stream, server in
      async let answer = stream.request(question, timeout: .seconds(5))
      let id = Server.id(in: try await server.expect("</iq>"))
      let attributes = (0..<150).map { "a\($0)=''" }.joined(separator: " ")
      try await server.send(
        "<iq type='error' id='\(id)' from='mallory@a.example/x'>\(Self.deep)</iq>"
          + "<iq type='error' id='\(id)' \(attributes) from='mallory@a.example/x'/>"
          + "<iq type='set' id='\(id)'>\(Self.deep)</iq>"
          + "<iq type='result' id='\(id)'><right xmlns='u'/></iq>")
      #expect(try await answer.first("right", "u") != nil)
    }
  }

  @Test(arguments: ["get", "set"])
  func `a request over a limit is answered once`(type: String) async throws {
    try await withSession(managed: true) { stream, server in
      try await server.send(
        "<iq type='\(type)' id='7' from='bob@a.example/x'>\(Self.deep)</iq>"
          + "<iq type='\(type)' id='8' from='\(Self.unreadable)'>\(Self.deep)</iq>"
          + "<message from='bob@a.example/x' id='9'>\(Self.deep)</message>"
          + "<message id='last' from='bob@a.example'/><r xmlns='urn:xmpp:sm:3'/>")
      var incoming = stream.incoming.makeAsyncIterator()
      // The message is shown as one that cannot be read.
      #expect(await incoming.next()?.map { $0.element["id"] } == ["9", "last"])
      await stream.markHandled(2)
      let sent = try await server.expect("<a xmlns='urn:xmpp:sm:3' h='4'/>")
      #expect(sent.ranges(of: "<iq").count == 1)
      #expect(sent.contains("id='7'") && sent.contains("to='bob@a.example/x'"))
      #expect(sent.contains("policy-violation") && sent.contains("stanza-too-big"))
    }
  }
}
