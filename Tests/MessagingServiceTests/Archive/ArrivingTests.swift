import Diagnostics
import Foundation
import NatterCore
import Storage
import Synchronization
import TestSupport
import Testing
import XML
import XMPP

@testable import MessagingService

/// flows.md, "Receiving", with the database.
@Suite struct ArrivingTests {
  /// Notes what it is given.
  private final class Handler: AccountEventHandling {
    let kinds: Set<AccountEvent.EventKind>
    let applied = Mutex<[AccountEvent]>([])
    init(_ kinds: AccountEvent.EventKind...) { self.kinds = Set(kinds) }
    func apply(_ command: AccountEvent) { applied.withLock { $0.append(command) } }
  }

  private func receiver(_ fixture: ArchiveFixture) -> MessageReceiver {
    let clock = fixture.clock
    return MessageReceiver(
      account: fixture.account, store: fixture.database.messages, hub: fixture.hub, log: .none,
      now: { clock.now })
  }

  private func inbox(_ fixture: ArchiveFixture, _ handlers: any AccountEventHandling...)
    -> AccountEventInbox
  {
    AccountEventInbox(
      account: fixture.account, store: fixture.database.commands, handlers: handlers, log: .none)
  }

  private static let invitation = Stanza.message(
    from: "bob@example.org/x", id: "i1", type: "normal",
    Element("x", "jabber:x:conference", ["jid": "den@rooms.example.org"]))

  /// A command of each kind, as a stanza.
  private static let everyKind: [(String, Stanza)] = [
    ("room-invitation", Self.invitation),
    (
      "room-exit",
      .presence(
        PresenceStanza(
          Element(
            "presence", Namespace.client,
            ["from": "den@rooms.example.org/alice", "type": "unavailable"],
            [
              Element(
                "x", XEP0045.user, [:],
                ["110", "301"].map { Element("status", XEP0045.user, ["code": $0]) })
            ])))
    ),
    (
      "room-changed",
      .message(
        from: "den@rooms.example.org", type: "groupchat",
        Element("x", XEP0045.user, [:], [Element("status", XEP0045.user, ["code": "104"])]))
    ),
    ("contact-request", .presence(from: "eve@example.org", type: "subscribe")),
    (
      "published",
      .message(
        from: "bob@example.org", type: "headline",
        Element(
          "event", "http://jabber.org/protocol/pubsub#event", [:],
          [
            Element(
              "items", "http://jabber.org/protocol/pubsub#event",
              ["node": "http://jabber.org/protocol/nick"])
          ]))
    ),
    (
      "block-list",
      .iq(from: nil, type: "set", Element("block", "urn:xmpp:blocking"))
    ),
  ]

  @Test(arguments: everyKind)
  func `command? yes: it is added to the command list, and its handler runs, once`(
    kind: String, stanza: Stanza
  ) async throws {
    let fixture = try await ArchiveFixture()
    let kind = AccountEvent.EventKind(rawValue: kind)
    let handler = Handler(kind)
    await inbox(fixture, handler).receive([stanza])
    #expect(handler.applied.withLock { $0.map(\.kind) } == [kind])
    // Again, in another run of the program: the server's stored events are known, and those of each
    // login are reported anew.
    let later = Handler(kind)
    await inbox(fixture, later).receive([stanza])
    #expect(later.applied.withLock { $0.count } == (kind == .roomInvitation ? 0 : 1))
    #expect(try await fixture.database.commands.pendingCommands().isEmpty)
  }

  /// The server copies it where another client of the account gets it (XEP-0280 §6.1).
  @Test(arguments: ["received", "sent"])
  func `an invitation that another client got is one here, and its own is none`(direction: String)
    async throws
  {
    let fixture = try await ArchiveFixture()
    let handler = Handler(.roomInvitation, .published)
    func copy(_ stanza: Stanza, from sender: String) -> Stanza {
      .message(
        from: sender,
        Element(
          direction, XEP0280Carbon.namespace, [:],
          [Element("forwarded", XEP0280Carbon.forwardNamespace, [:], [stanza.element])]))
    }
    let account = fixture.account.bare.description
    let inbox = inbox(fixture, handler)
    for (_, stanza) in Self.everyKind {
      await inbox.receive([copy(stanza, from: account), copy(stanza, from: "bob@example.org")])
    }
    let kinds = handler.applied.withLock { $0.map(\.kind) }
    #expect(kinds == (direction == "received" ? [.roomInvitation] : []))
  }

  @Test func `command? yes: it is no message of a conversation`() async throws {
    let fixture = try await ArchiveFixture()
    await receiver(fixture).receive([Self.invitation])
    #expect(try await fixture.database.conversations.conversation(fixture.bob) == nil)
  }

  /// Fails the first time.
  private actor Failing: AccountEventHandling {
    struct Refused: Error {}
    let kinds: Set<AccountEvent.EventKind>
    private(set) var applied = 0
    private var hasFailed = false
    init(_ kind: AccountEvent.EventKind) { kinds = [kind] }
    func apply(_ command: AccountEvent) throws {
      defer { hasFailed = true }
      guard hasFailed else { throw Refused() }
      applied += 1
    }
  }

  @Test(arguments: everyKind)
  func `command that fails: it stays on the list and is applied at the next sync`(
    kind: String, stanza: Stanza
  ) async throws {
    let fixture = try await ArchiveFixture()
    let handler = Failing(AccountEvent.EventKind(rawValue: kind))
    let inbox = inbox(fixture, handler)
    await inbox.receive([stanza])
    // Events that are sent at each login are on the list of this run only.
    let next = handler.kinds == [.roomInvitation] ? self.inbox(fixture, handler) : inbox
    let waiting = try await next.pending()
    #expect(waiting.map(\.kind.rawValue) == [kind])
    for command in waiting { await next.run(command) }
    #expect(await handler.applied == 1)
    #expect(try await next.pending().isEmpty)
  }

  /// Refuses some times, as a full disk does.
  private actor ReluctantStore: CommandStoring {
    private let store: any CommandStoring
    private(set) var refusals: Int
    init(_ store: any CommandStoring, refusals: Int) {
      (self.store, self.refusals) = (store, refusals)
    }
    func add(_ commands: [AccountEvent], at date: Date) async throws -> [AccountEvent] {
      guard refusals == 0 else {
        refusals -= 1
        throw NatterError(.storage, "error.storage.write")
      }
      return try await store.add(commands, at: date)
    }
    func pendingCommands() async throws -> [AccountEvent] { try await store.pendingCommands() }
    func settle(_ ids: [AccountEvent.ID]) async throws { try await store.settle(ids) }
  }

  @Test
  func `command that ejabberd sends twice, the second time with addresses: it is applied once`()
    async throws
  {
    // server-quirks.md, "ejabberd".
    let fixture = try await ArchiveFixture()
    let handler = Handler(.published)
    let inbox = inbox(fixture, handler)
    let event = Element(
      "event", XEP0060.events, [:],
      [
        Element(
          "items", XEP0060.events, ["node": "http://jabber.org/protocol/nick"],
          [Element("item", XEP0060.events, ["id": "current"])])
      ])
    let addresses = "http://jabber.org/protocol/address"
    await inbox.receive([.message(from: "bob@example.org", type: "headline", event)])
    await inbox.receive([
      .message(
        from: "bob@example.org", type: "headline", event,
        Element("addresses", addresses, [:], [Element("address", addresses, ["type": "replyto"])]))
    ])
    #expect(handler.applied.withLock { $0.count } == 1)
  }

  @Test func `command that cannot be stored: it is handled only once it is`() async throws {
    let fixture = try await ArchiveFixture()
    let handler = Handler(.roomInvitation)
    let store = ReluctantStore(fixture.database.commands, refusals: 3)
    let pauses = Mutex(0)
    let inbox = AccountEventInbox(
      account: fixture.account, store: store, handlers: [handler], log: .none,
      sleep: { _ in
        #expect(handler.applied.withLock { $0.isEmpty })
        pauses.withLock { $0 += 1 }
      })
    // The stanza counts as handled when this returns.
    await inbox.receive([Self.invitation])
    #expect(handler.applied.withLock { $0.count } == 1)
    #expect(pauses.withLock { $0 } == 3)
    // It is known from then on.
    await self.inbox(fixture, handler).receive([Self.invitation])
    #expect(handler.applied.withLock { $0.count } == 1)
  }

  @Test func `command of the archive that cannot be stored: the range does not take it in`()
    async throws
  {
    let fixture = try await ArchiveFixture()
    let archive = ScriptedArchive(account: fixture.account, entries: fixture.entries(1...3))
    await fixture.signIn(to: archive).sessionEnded()
    guard case .message(let invitation) = Self.invitation else { return }
    await archive.append([.init(id: "a4", stamp: ArchiveFixture.stamp(4), message: invitation)])
    let handler = Handler(.roomInvitation)
    let store = ReluctantStore(fixture.database.commands, refusals: .max)
    let inbox = AccountEventInbox(
      account: fixture.account, store: store, handlers: [handler], log: .none,
      sleep: { _ in
        // The program ends while the disk is full.
        withUnsafeCurrentTask { $0?.cancel() }
        throw CancellationError()
      })
    await Task {
      let synchronizer = fixture.synchronizer(inbox: inbox)
      await synchronizer.signIn(to: archive)
    }.value
    #expect(
      try await fixture.database.archiveRanges.ranges(of: fixture.account, with: nil).map(\.end.id)
        == ["a3"])
    let next = fixture.synchronizer(inbox: self.inbox(fixture, handler))
    await next.signIn(to: archive)
    #expect(handler.applied.withLock { $0.count } == 1)
    #expect(
      try await fixture.database.archiveRanges.ranges(of: fixture.account, with: nil).map(\.end.id)
        == ["a4"])
  }

  @Test(arguments: everyKind)
  func `each command kind has its way to the handler that a module registered`(
    kind: String, stanza: Stanza
  ) async throws {
    let fixture = try await ArchiveFixture()
    let kind = AccountEvent.EventKind(rawValue: kind)
    let handler = Handler(kind)
    let other = Handler(AccountEvent.EventKind(rawValue: "of another module"))
    await inbox(fixture, other, handler).receive([stanza])
    #expect(handler.applied.withLock { $0.map(\.kind) } == [kind])
    #expect(other.applied.withLock { $0.isEmpty })
  }

  @Test func `conversation known? no: the message creates it, and the list hears of it`()
    async throws
  {
    let fixture = try await ArchiveFixture()
    let events = fixture.hub.events()
    await receiver(fixture).receive([
      .message(from: "bob@example.org/x", id: "1", body: "hello")
    ])
    let conversation = try #require(
      try await fixture.database.conversations.conversation(fixture.bob))
    #expect(conversation.unread == 1 && conversation.kind == .direct)
    #expect(
      await events.published(on: fixture.hub).contains(.conversationsChanged([conversation])))
  }

  @Test
  func `conversation known? yes: state and unread are saved, then chat and list are notified`()
    async throws
  {
    let fixture = try await ArchiveFixture()
    _ = try await fixture.database.conversations.open(fixture.bob, kind: .direct)
    let events = fixture.hub.events()
    await receiver(fixture).receive([
      .message(from: "bob@example.org/x", id: "1", body: "one"),
      .message(from: "bob@example.org/x", id: "2", body: "two"),
    ])
    let conversation = try #require(
      try await fixture.database.conversations.conversation(fixture.bob))
    #expect(conversation.unread == 2 && conversation.firstUnread != nil)
    var reported: [String] = []
    for event in await events.published(on: fixture.hub) {
      switch event {
      case .messagesStored(let messages): reported += messages.map(\.body)
      case .conversationsChanged(let changed):
        #expect(changed == [conversation])
        reported.append("list")
      default: break
      }
    }
    #expect(reported == ["one", "two", "list"])
  }

  @Test
  func `after a resumption all that was not acknowledged comes again: stored once, at its time`()
    async throws
  {
    // server-quirks.md, "Both": with a delay element, which is no reason to move it.
    let fixture = try await ArchiveFixture()
    let receiver = receiver(fixture)
    await receiver.connectionOpened()
    let entry = fixture.entry(1)
    fixture.clock.set(entry.stamp + 0.3)
    await receiver.receive([fixture.live(entry)])
    let before = try await fixture.database.timeline.latest(9, in: fixture.bob)
    fixture.clock.set(entry.stamp + 60)
    await receiver.connectionOpened()
    await receiver.receive([fixture.delayed(entry)])
    #expect(try await fixture.database.timeline.latest(9, in: fixture.bob) == before)
    #expect(before.map(\.sentAt) == [entry.stamp + 0.3])
    #expect(try await fixture.database.conversations.conversation(fixture.bob)?.unread == 1)
  }

  @Test func `a message to oneself, which archives hold twice, is stored once`() async throws {
    // server-quirks.md, "Both": both servers give the two copies two ids.
    let fixture = try await ArchiveFixture()
    let me = fixture.account
    var copy = fixture.entry(1, from: me.with(resource: "a"), to: me)
    copy = .init(id: "other", stamp: copy.stamp, message: copy.message)
    let archive = ScriptedArchive(
      account: me, entries: [fixture.entry(1, from: me.with(resource: "a"), to: me), copy])
    _ = await fixture.signIn(to: archive)
    #expect(try await fixture.bodies(in: me) == ["text 1"])
  }
}
