import Diagnostics
import Foundation
import NatterCore
import TestSupport
import Testing
import XML
import XMPP

@testable import MessagingService

/// Corrections and answers on their way out.
@Suite struct OutboxRelationsTests {
  let store = MemoryMessageStore()
  let hub = EventHub()
  let channel = RecordingChannel()
  let alice = JID(local: "alice", domain: "example.org")
  let bob = JID(local: "bob", domain: "example.org")

  private func outbox() -> Outbox {
    Outbox(account: alice, store: store, hub: hub, log: .none, options: .fixture())
  }

  @Test func `a correction is a message with an id of its own that names the other`() async throws {
    let outbox = outbox()
    await outbox.sessionStarted(.fixture, over: channel)
    let message = try await outbox.send("helo", to: bob)
    try await outbox.correct(message, with: "hello")
    let stanza = try #require(await channel.sent.last)
    #expect(stanza["id"] == "m2" && stanza["to"] == "bob@example.org")
    #expect(stanza.first("body", Namespace.client)?.text == "hello")
    #expect(MessageStanza(stanza).correctedID == "m1" && MessageStanza(stanza).originID == "m2")
    #expect(await channel.sent.count == 2)
  }

  @Test func `an answer names the message and quotes it for those who know no better`() async throws
  {
    let outbox = outbox()
    await outbox.sessionStarted(.fixture, over: channel)
    let question = Message(
      id: .init(7), conversation: bob, sender: try #require(bob.with(resource: "phone")),
      direction: .incoming, body: "Really?\nNow?", sentAt: Date(timeIntervalSince1970: 1),
      originID: "q1", stanzaID: "s1")
    let sent = try await outbox.send("Yes", replyingTo: question)
    #expect(sent.body == "Yes" && sent.reply?.text == "Really?\nNow?")
    let stanza = MessageStanza(try #require(await channel.sent.last))
    #expect(stanza.body == "> Really?\n> Now?\nYes")
    #expect(MessageDecoder.text(of: stanza) == "Yes")
    #expect(stanza.reply == XEP0461Reply(id: "q1", author: bob))
  }

  @Test func `a message can be sent under a given id, as an answer`() async throws {
    let outbox = outbox()
    await outbox.sessionStarted(.fixture, over: channel)
    let question = Message(
      id: .init(7), conversation: bob, sender: bob, direction: .incoming, body: "Really?",
      sentAt: Date(timeIntervalSince1970: 1), originID: "q1")
    let sent = try await outbox.send(
      "Yes", originID: "r1", replyingTo: question, in: nil, to: bob)
    #expect(sent.originID == "r1" && sent.reply?.id == "q1")
    #expect(await channel.sent.map { MessageStanza($0).originID } == ["r1"])
  }

  @Test func `an answer is in the thread of the message, another text in the conversation's`()
    async throws
  {
    let outbox = outbox()
    await outbox.sessionStarted(.fixture, over: channel)
    var threads: [Message.Thread?] = []
    for (number, id) in ["t1", "t2"].enumerated() {
      let thread = Message.Thread(id: id)
      threads.append(thread)
      var question = IncomingMessage(
        conversation: bob, sender: bob, body: "Really?",
        sentAt: Date(timeIntervalSince1970: Double(number)), originID: "q\(number)")
      question.thread = thread
      _ = try await store.insert([question]) { _ in false }
    }
    let first = try #require(await store.all.first)
    try await outbox.send("No", replyingTo: first)
    let last = try await outbox.send("plain", to: bob)
    _ = try await outbox.send(
      "given", originID: "g", replyingTo: first, in: threads[1], to: bob)
    // No thread of one conversation becomes known in another.
    let carol = JID(local: "carol", domain: "example.org")
    _ = try await outbox.send(
      "other", originID: "h", replyingTo: first, in: nil, to: carol)
    #expect(
      await channel.sent.map { MessageStanza($0).thread } == [
        threads[0], threads[1], threads[1], nil,
      ])
    #expect(last.thread == threads[1])
  }

  @Test func `a reaction and a retraction go their message's way, with a fallback for old clients`()
    async throws
  {
    let outbox = outbox()
    let message = try await outbox.send("hello", to: bob)
    try await outbox.react("👍", to: message)
    try await outbox.retract(message)
    #expect(await channel.sent.isEmpty)
    await outbox.sessionStarted(.fixture, over: channel)
    let sent = await channel.sent.map { MessageStanza($0) }
    #expect(sent.map(\.originID) == ["m1", "m2", "m3"])
    #expect(sent[1].reactions == XEP0444Reactions(id: "m1", emoji: ["👍"]))
    #expect(sent[1].body == nil && sent[1].element["type"] == "chat")
    #expect(sent[2].retraction?.id == "m1" && sent[2].body == "(message deleted)")
    #expect(MessageDecoder.text(of: sent[2]) == "")
    for stanza in sent[1...] {
      #expect(stanza.element.first("request", Namespace.receipts) == nil)
      #expect(stanza.element.first("store", XEP0334Hints.namespace) != nil)
    }
  }

  @Test(arguments: [false, true])
  func `a refusal is reported, for nothing on the screen shows it`(isTakenUp: Bool) async throws {
    let outbox = outbox()
    let events = hub.events()
    await outbox.sessionStarted(.fixture, over: channel)
    let message = try await outbox.send("hello", to: bob)
    try await outbox.react("👍", to: message)
    if isTakenUp {
      await outbox.sessionEnded()
      await outbox.sessionTakenUp(underWay: [])
    }
    var error = Element(
      "message", Namespace.client, ["type": "error", "id": "m2", "from": "bob@example.org"])
    error.append(StanzaError(.cancel, .notAllowed).element)
    await outbox.receive([.message(MessageStanza(error))])
    let reported = await events.published(on: hub).compactMap { event -> String? in
      if case .notice(let notice) = event { notice.key } else { nil }
    }
    #expect(reported == ["error.reactionRefused"])
  }

  @Test func `a message without an id is not answered, one that is not there not corrected`()
    async throws
  {
    let outbox = outbox()
    let nameless = Message(
      id: .init(7), conversation: bob, sender: bob, direction: .incoming, body: "?",
      sentAt: Date(timeIntervalSince1970: 1), originID: nil)
    await #expect(throws: NatterError(.refused, "error.noReply", retry: .never)) {
      try await outbox.send("Yes", replyingTo: nameless)
    }
    await #expect(throws: NatterError(.refused, "error.noEdit", retry: .never)) {
      try await outbox.correct(nameless, with: "x")
    }
    await #expect(throws: NatterError(.refused, "error.noReaction", retry: .never)) {
      try await outbox.react("👍", to: nameless)
    }
    await #expect(throws: NatterError(.refused, "error.noRetraction", retry: .never)) {
      try await outbox.retract(nameless)
    }
    #expect(await store.all.isEmpty)
  }
}
