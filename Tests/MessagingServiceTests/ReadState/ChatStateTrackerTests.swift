import NatterCore
import TestSupport
import Testing
import XML
import XMPP

@testable import MessagingService

@Suite struct ChatStateTrackerTests {
  static let bob = JID(local: "bob", domain: "example.org")

  let channel = RecordingChannel()
  let hub = EventHub()

  private func keeper(
    _ subscription: Contact.Subscription = .both, isOn: Bool = true, hears: Bool = true
  ) async -> ChatStateTracker {
    let keeper = ChatStateTracker(
      roster: MemoryRosterStore([Contact(jid: Self.bob, subscription: subscription)]), hub: hub,
      isOn: isOn)
    await keeper.channelOpened(channel)
    if hears { await keeper.receive([message(.active, body: "hello")]) }
    return keeper
  }

  private func message(
    _ state: XEP0085ChatState, body: String? = nil, from: String = "bob@example.org/a",
    type: String = "chat"
  ) -> Stanza {
    .message(from: from, type: type, body: body, state.element)
  }

  private func states() async -> [String] {
    await channel.sent.flatMap { $0.elements.filter { $0.namespace == XEP0085ChatState.namespace } }
      .map(\.name)
  }

  @Test func `the client that sent a state is notified, each change once`() async {
    let keeper = await keeper()
    for activity in [ChatActivity.active, .composing, .composing, .paused, .composing, .sent] {
      await keeper.report(activity, in: Self.bob, thread: .ofConversation)
    }
    for activity in [ChatActivity.active, .composing, .active, .gone] {
      await keeper.report(activity, in: Self.bob, thread: .ofConversation)
    }
    #expect(
      await states() == [
        "composing", "paused", "composing", "composing", "active", "gone",
      ])
    #expect(await channel.sent.allSatisfy { $0["to"] == "bob@example.org/a" })
  }

  @Test(arguments: [
    (Contact.Subscription.none, true, true), (.to, true, true), (.both, false, true),
    (.both, true, false),
  ])
  func `strangers, clients without it, and anybody where it is off get nothing`(
    subscription: Contact.Subscription, isOn: Bool, hears: Bool
  ) async {
    let keeper = await keeper(subscription, isOn: isOn, hears: hears)
    await keeper.report(.composing, in: Self.bob, thread: .ofConversation)
    #expect(await channel.sent.isEmpty)
  }

  private struct Threads: ThreadReading {
    var error: StanzaError?
    func thread(of conversation: JID) throws -> Message.Thread? {
      if let error { throw error }
      return Message.Thread(id: conversation.description)
    }
  }

  @Test func `a state is in the thread of what is typed`() async {
    for (threads, given, expected) in [
      (Threads(), ThreadChoice.ofConversation, Self.bob.description),
      (Threads(), .given(Message.Thread(id: "t1")), "t1"), (Threads(), .given(nil), nil),
      (Threads(error: StanzaError(.cancel, .itemNotFound)), .ofConversation, nil),
    ] {
      let channel = RecordingChannel()
      let keeper = ChatStateTracker(
        roster: MemoryRosterStore([Contact(jid: Self.bob, subscription: .both)]), threads: threads,
        hub: hub)
      await keeper.channelOpened(channel)
      await keeper.receive([message(.active, body: "hello")])
      await keeper.report(.composing, in: Self.bob, thread: given)
      let sent = await channel.sent
      #expect(sent.count == 1 && sent.first?.first("composing", XEP0085ChatState.namespace) != nil)
      #expect(sent.first?.first("thread", Namespace.client)?.text == expected)
    }
  }

  @Test func `sending a state reads the entry of the contact, and not the whole roster`() async {
    let roster = MemoryRosterStore([Contact(jid: Self.bob, subscription: .both)])
    let keeper = ChatStateTracker(roster: roster, hub: hub)
    await keeper.channelOpened(channel)
    await keeper.receive([message(.active, body: "hello")])
    await keeper.report(.composing, in: Self.bob, thread: .ofConversation)
    #expect(await states() == ["composing"])
    #expect(await roster.listings == 0)
  }

  @Test func `of any number of strangers some are remembered, and contacts anew`() async {
    let keeper = await keeper()
    let events = hub.events()
    await keeper.receive(
      (0..<2500).map { message(.composing, from: "s\($0)@evil.test/r") })
    #expect(await keeper.partnerCount <= ChatStateTracker.partnerLimit)
    var typing: Set<JID> = []
    for event in await events.published(on: hub) {
      guard case .typingChanged(let jid, let isTyping) = event else { continue }
      if isTyping { typing.insert(jid) } else { typing.remove(jid) }
    }
    // Of those who were forgotten none is left typing.
    #expect(typing.count <= ChatStateTracker.partnerLimit)
    await keeper.receive([message(.active, body: "hello again")])
    await keeper.report(.composing, in: Self.bob, thread: .ofConversation)
    #expect(await states() == ["composing"])
  }

  @Test func `a client that has gone gets nothing more`() async {
    let keeper = await keeper()
    await keeper.receive([.presence(from: "bob@example.org/a", type: "unavailable")])
    await keeper.report(.composing, in: Self.bob, thread: .ofConversation)
    #expect(await channel.sent.isEmpty)
    await keeper.receive([message(.active, body: "here again", from: "bob@example.org/b")])
    await keeper.report(.composing, in: Self.bob, thread: .ofConversation)
    #expect(await channel.sent.map { $0["to"] } == ["bob@example.org/b"])
  }

  @Test func `a contact who types is shown, until a message, a pause or the end`() async {
    let keeper = await keeper()
    let events = hub.events()
    await keeper.receive([message(.composing), message(.paused), message(.paused)])
    await keeper.receive([message(.composing), message(.active, body: "there")])
    await keeper.receive([message(.composing), .message(from: "bob@example.org/a", body: "x")])
    await keeper.receive([
      message(.composing), .presence(from: "bob@example.org/a", type: "unavailable"),
    ])
    await keeper.receive([message(.composing)])
    await keeper.sessionEnded()
    let reported = await events.published(on: hub)
    #expect(
      reported
        == (1...5).flatMap { _ in
          [true, false].map { DomainEvent.typingChanged(conversation: Self.bob, isTyping: $0) }
        })
  }

  @Test func `an occupant who types to one alone in a room does not type in the room`() async throws
  {
    let keeper = await keeper(hears: false)
    let events = hub.events()
    let den = JID(local: "den", domain: "rooms.example.org")
    let carol = try #require(den.with(resource: "carol"))
    await keeper.receive([
      .message(
        from: carol.description, XEP0085ChatState.composing.element, Element("x", XEP0045.user)),
      .presence(from: carol.description, type: "unavailable"),
    ])
    #expect(
      await events.published(on: hub)
        == [true, false].map {
          .typingChanged(conversation: carol, isTyping: $0)
        })
  }

  @Test func `rooms, errors and what comes late say nothing of now`() async {
    let keeper = await keeper(hears: false)
    let events = hub.events()
    let delay = Element(
      "delay", Namespace.delay, ["stamp": "2024-01-01T00:00:00Z"])
    await keeper.receive([
      message(.composing, type: "groupchat"), message(.composing, type: "error"),
      .message(from: "bob@example.org/a", XEP0085ChatState.composing.element, delay),
      .message(from: nil, XEP0085ChatState.composing.element),
    ])
    #expect(await events.published(on: hub) == [])
  }
}
