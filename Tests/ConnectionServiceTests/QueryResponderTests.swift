import NatterCore
import TestSupport
import Testing
import XML
import XMPP

@testable import ConnectionService

/// Every question gets an answer (RFC 6120 §8.2.3).
@Suite struct QueryResponderTests {
  private let channel = RecordingChannel()

  private func answer(to payload: Element?, type: String = "get") async throws -> Element? {
    let responder = QueryResponder(
      answers: [
        "jabber:iq:version": { _ in Element("query", "jabber:iq:version") },
        "urn:xmpp:time": { _ in nil },
      ], claimedSets: ["jabber:iq:roster"])
    await responder.sessionStarted(.fixture, over: channel)
    let question = Element(
      "iq", Namespace.client, ["type": type, "id": "q1", "from": "bob@example.org/a"],
      payload.map { [$0] } ?? [])
    await responder.receive([try #require(Stanza(question))])
    let sent = await channel.sent
    #expect(sent.count <= 1)
    #expect(sent.allSatisfy { $0["id"] == "q1" && $0["to"] == "bob@example.org/a" })
    return sent.first
  }

  private func condition(_ reply: Element?) -> String? {
    guard reply?["type"] == "error" else { return nil }
    return reply?.first("error", Namespace.client)?.elements.first?.name
  }

  @Test func `a ping is answered with nothing`() async throws {
    let reply = try await answer(to: Element("ping", Namespace.ping))
    #expect(reply?["type"] == "result" && reply?.elements.isEmpty == true)
  }

  @Test func `what is known here is answered by who knows it`() async throws {
    let reply = try await answer(to: Element("query", "jabber:iq:version"))
    #expect(reply?["type"] == "result")
    #expect(reply?.first("query", "jabber:iq:version") != nil)
  }

  @Test(arguments: ["urn:xmpp:time", "urn:example:unknown"])
  func `what is not told, or not known, is no service`(namespace: String) async throws {
    let reply = try await answer(to: Element("query", namespace))
    #expect(condition(reply) == "service-unavailable")
  }

  @Test func `an unknown set is no service, and one that another service takes is left to it`()
    async throws
  {
    #expect(
      condition(try await answer(to: Element("query", "urn:example:unknown"), type: "set"))
        == "service-unavailable")
  }

  @Test func `what another service answers is not answered here`() async throws {
    #expect(try await answer(to: Element("query", "jabber:iq:roster"), type: "set") == nil)
  }

  @Test(arguments: ["get", "set"])
  func `a question without words is a bad one`(type: String) async throws {
    #expect(condition(try await answer(to: nil, type: type)) == "bad-request")
  }

  @Test(arguments: ["result", "error"])
  func `answers are not answered`(type: String) async throws {
    #expect(try await answer(to: Element("query", "urn:example:unknown"), type: type) == nil)
  }
}
