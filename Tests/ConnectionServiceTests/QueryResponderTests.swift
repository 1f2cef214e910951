import NatterCore
import TestSupport
import Testing
import XML
import XMPP

@testable import ConnectionService

/// Every question gets an answer (RFC 6120 §8.2.3).
@Suite struct QueryResponderTests {
  private let channel = RecordingChannel()

  private func answer(
    to payload: Element?, type: String = "get", from: String? = "bob@example.org/a",
    isSetUp: Bool = true
  ) async throws -> Element? {
    let account = JID(local: "alice", domain: "example.org")
    let responder = QueryResponder(
      answers: [
        "jabber:iq:version": { _ in Element("query", "jabber:iq:version") },
        "urn:xmpp:time": { _ in nil },
      ]
    ) { $0.isRosterSet || $0.isBlockListPush(of: account) }
    await responder.channelOpened(channel)
    if isSetUp { await responder.sessionStarted(.fixture, over: channel) }
    var question = Element(
      "iq", Namespace.client, ["type": type, "id": "q1"], payload.map { [$0] } ?? [])
    question["from"] = from
    let earlier = await channel.sent.count
    await responder.receive([try #require(Stanza(question))])
    let sent = await channel.sent.dropFirst(earlier)
    #expect(sent.count <= 1)
    #expect(sent.allSatisfy { $0["id"] == "q1" && $0["to"] == from })
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
  func `a withheld or unknown service is unavailable`(namespace: String) async throws {
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

  @Test(
    arguments: [
      ("foo", "urn:xmpp:blocking", "bob@example.org/a"), ("foo", "urn:xmpp:blocking", nil),
      ("block", "urn:xmpp:blocking", "bob@example.org/a"),
      ("unblock", "urn:xmpp:blocking", "alice@example.org/other"),
      ("foo", "jabber:iq:roster", "bob@example.org/a"), ("foo", "jabber:iq:roster", nil),
    ] as [(String, String, String?)])
  func `what looks like another service's set and is not is answered here`(
    name: String, namespace: String, from: String?
  ) async throws {
    let reply = try await answer(to: Element(name, namespace), type: "set", from: from)
    #expect(condition(reply) == "service-unavailable")
  }

  @Test(arguments: [nil, "alice@example.org"])
  func `a push is left to the service that keeps the list`(from: String?) async throws {
    for (name, namespace) in [
      ("block", "urn:xmpp:blocking"), ("unblock", "urn:xmpp:blocking"),
      ("query", "jabber:iq:roster"),
    ] {
      #expect(try await answer(to: Element(name, namespace), type: "set", from: from) == nil)
      // A question is none.
      let reply = try await answer(to: Element(name, namespace), from: from)
      #expect(condition(reply) == "service-unavailable")
    }
  }

  @Test(arguments: ["get", "set"])
  func `what comes before the session is set up is answered as well`(type: String) async throws {
    let reply = try await answer(
      to: Element("query", "urn:example:unknown"), type: type, isSetUp: false)
    #expect(condition(reply) == "service-unavailable")
  }

  @Test(arguments: ["get", "set"])
  func `a query without a payload is a bad request`(type: String) async throws {
    #expect(condition(try await answer(to: nil, type: type)) == "bad-request")
  }

  @Test(arguments: ["result", "error"])
  func `answers are not answered`(type: String) async throws {
    #expect(try await answer(to: Element("query", "urn:example:unknown"), type: type) == nil)
  }
}
