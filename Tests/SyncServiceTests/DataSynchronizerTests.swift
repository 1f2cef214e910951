import Diagnostics
import Foundation
import NatterCore
import Storage
import Synchronization
import TestSupport
import Testing
import XMPP

@testable import SyncService

/// FLOWS.md 3: every branch.
@Suite struct DataSynchronizerTests {
  /// A list, a description and a handler in one, with a record of what was asked of it.
  private final class Module: ConversationListing, ConversationDescribing, SyncCommandHandling {
    let kinds: Set<SyncCommand.Kind>
    private let listed: [ListedConversation]
    private let state = Mutex(
      (calls: [String](), running: 0, most: 0, failure: (any Error)?.none))
    private let gate: (@Sendable () async throws -> Void)?

    init(
      _ listed: [ListedConversation] = [], kinds: Set<SyncCommand.Kind> = [],
      gate: (@Sendable () async throws -> Void)? = nil
    ) {
      self.listed = listed
      self.kinds = kinds
      self.gate = gate
    }

    var calls: [String] { state.withLock { $0.calls } }
    var most: Int { state.withLock { $0.most } }
    func fail(with error: (any Error)?) { state.withLock { $0.failure = error } }

    private func called(_ name: String) async throws {
      let failure = state.withLock { state in
        state.calls.append(name)
        state.running += 1
        state.most = max(state.most, state.running)
        return state.failure
      }
      defer { state.withLock { $0.running -= 1 } }
      try await gate?()
      for _ in 0..<20 { await Task.yield() }
      if let failure { throw failure }
    }

    func list(over channel: any StanzaChannel) async throws -> [ListedConversation] {
      try await called("list")
      return listed
    }
    func describe(_ conversation: ListedConversation, over channel: any StanzaChannel) async throws
    {
      try await called("describe \(conversation.jid)")
    }
    func apply(_ command: SyncCommand) async throws { try await called("apply \(command.id)") }
  }

  private let account = JID(local: "alice", domain: "example.org")
  private let room = JID(local: "hill", domain: "rooms.example.org")
  private let channel = RecordingChannel()

  private func people(_ count: Int) -> [ListedConversation] {
    (0..<count).map {
      ListedConversation(
        jid: JID(local: "p\($0)", domain: "example.org"), kind: .direct, opens: false)
    }
  }

  private func synchronizer(
    _ database: AccountDatabase, _ lists: [Module], _ descriptions: [Module] = [],
    _ handlers: [Module] = [], hub: EventHub = EventHub()
  ) -> (DataSynchronizer, CommandInbox) {
    let inbox = CommandInbox(
      account: account, store: database.commands, handlers: handlers, log: .none)
    return (
      DataSynchronizer(
        lists: lists, descriptions: descriptions, commands: inbox, store: database.commands,
        hub: hub, log: .none), inbox
    )
  }

  private func invitation(_ id: String) -> Stanza {
    .message(
      from: "hill@rooms.example.org", id: id, type: "normal",
      Element(
        "x", "http://jabber.org/protocol/muc#user", [:],
        [Element("invite", "http://jabber.org/protocol/muc#user", ["from": "bob@example.org"])]),
      Element("stanza-id", Namespace.stanzaIDs, ["by": account.description, "id": "s" + id]))
  }

  @Test func `groupList empty? yes: done`() async throws {
    let database = try await AccountDatabase.inMemory()
    let (list, description) = (Module(), Module())
    let (sync, _) = synchronizer(database, [list], [description])
    await sync.synchronize(over: channel)
    #expect(list.calls == ["list"] && description.calls.isEmpty)
    #expect(try await database.conversations.conversations().isEmpty)
  }

  @Test
  func `groupList empty? no: states are saved, group info is refreshed, commands are applied`()
    async throws
  {
    let database = try await AccountDatabase.inMemory()
    let hub = EventHub()
    let events = hub.events()
    let list = Module(people(2) + [.init(jid: room, kind: .room, opens: true)])
    let (description, handler) = (Module(), Module(kinds: [.roomInvitation]))
    handler.fail(with: ChannelError.notConnected)
    let (sync, inbox) = synchronizer(database, [list], [description], [handler], hub: hub)
    await inbox.receive([invitation("i1")])
    handler.fail(with: nil)
    await sync.synchronize(over: channel)
    #expect(try await database.conversations.conversations().map(\.jid) == [room])
    #expect(description.calls.count == 3)
    #expect(handler.calls == ["apply room-invitation/si1", "apply room-invitation/si1"])
    #expect(try await database.commands.pendingCommands().isEmpty)
    // Progress is on the screen, and goes.
    let progress = await events.published(on: hub).compactMap { event -> SyncProgress?? in
      if case .syncProgressed(let progress) = event { progress } else { nil }
    }
    #expect(progress.first == SyncProgress(.list, done: 0, total: 1))
    #expect(progress.contains(SyncProgress(.details, done: 3, total: 3)))
    #expect(progress.contains(SyncProgress(.commands, done: 0, total: 1)))
    #expect(progress.last == .some(nil))
  }

  @Test func `progress is told from the list to the last command, and goes`() async throws {
    let database = try await AccountDatabase.inMemory()
    let hub = EventHub()
    let handler = Module(kinds: [.roomInvitation])
    handler.fail(with: ChannelError.notConnected)
    let (sync, inbox) = synchronizer(
      database, [Module(people(20)), Module([.init(jid: room, kind: .room, opens: true)])],
      [Module()], [handler], hub: hub)
    await inbox.receive([invitation("i1"), invitation("i2")])
    handler.fail(with: nil)
    let events = hub.events()
    await sync.synchronize(over: channel)
    let told = await events.published(on: hub).compactMap { event -> SyncProgress?? in
      if case .syncProgressed(let progress) = event { progress } else { nil }
    }
    #expect(
      told.compactMap { $0 } == [
        SyncProgress(.list, done: 0, total: 2), SyncProgress(.list, done: 1, total: 2),
        SyncProgress(.list, done: 2, total: 2), SyncProgress(.details, done: 0, total: 21),
        SyncProgress(.details, done: 8, total: 21), SyncProgress(.details, done: 16, total: 21),
        SyncProgress(.details, done: 21, total: 21), SyncProgress(.commands, done: 0, total: 2),
        SyncProgress(.commands, done: 1, total: 2),
      ])
    #expect(told.last == .some(nil))
  }

  @Test func `saves in batches: all that the lists hold is stored, and told, at once`() async throws
  {
    let database = try await AccountDatabase.inMemory()
    let hub = EventHub()
    let rooms = (1...40).map {
      ListedConversation(
        jid: JID(local: "r\($0)", domain: "rooms.example.org"), kind: .room, opens: true)
    }
    let (sync, _) = synchronizer(
      database, [Module(Array(rooms[..<20])), Module(Array(rooms[20...]))], [Module()], hub: hub)
    let events = hub.events()
    await sync.synchronize(over: channel)
    let told = await events.published(on: hub).compactMap { event -> Int? in
      if case .conversationsChanged(let changed) = event { changed.count } else { nil }
    }
    #expect(told == [40])
    #expect(try await database.conversations.conversations().count == 40)
  }

  @Test func `requests run in parallel, and not all at once`() async throws {
    let database = try await AccountDatabase.inMemory()
    let description = Module()
    let (sync, _) = synchronizer(database, [Module(people(100))], [description])
    await sync.synchronize(over: channel)
    #expect(description.calls.count == 100)
    #expect(description.most > 1 && description.most <= DataSynchronizer.width)
  }

  @Test func `what fails leaves the rest alone`() async throws {
    let database = try await AccountDatabase.inMemory()
    let (broken, sound) = (Module(people(1)), Module([.init(jid: room, kind: .room, opens: true)]))
    broken.fail(with: StanzaError(.wait, .resourceConstraint))
    let (first, second) = (Module(), Module())
    first.fail(with: ChannelError.timedOut)
    let (sync, _) = synchronizer(database, [broken, sound], [first, second])
    await sync.synchronize(over: channel)
    #expect(first.calls == ["describe \(room)"] && second.calls == first.calls)
  }

  @Test func `twice is as good as once`() async throws {
    let database = try await AccountDatabase.inMemory()
    let handler = Module(kinds: [.roomInvitation])
    let list = Module([.init(jid: room, kind: .room, opens: true)])
    let (sync, inbox) = synchronizer(database, [list, list], [], [handler])
    await inbox.receive([invitation("i1"), invitation("i1")])
    await sync.synchronize(over: channel)
    _ = try await database.conversations.markRead(room)
    await sync.synchronize(over: channel)
    await inbox.receive([invitation("i1")])
    // The archive has it too.
    if case .message(let message) = invitation("i1") {
      await inbox.take([XEP0313Result(id: "si1", stamp: Date(), message: message)])
    }
    #expect(handler.calls == ["apply room-invitation/si1"])
    #expect(try await database.conversations.conversations().count == 1)
  }

  @Test func `cancelled, it stops; what is stored by then stays`() async throws {
    let database = try await AccountDatabase.inMemory()
    let (began, begin) = AsyncStream<Void>.makeStream()
    let description = Module(gate: {
      begin.yield()
      try await Task.sleep(for: .seconds(3600))
    })
    let list = Module(people(50) + [.init(jid: room, kind: .room, opens: true)])
    let hub = EventHub()
    let events = hub.events()
    let (sync, _) = synchronizer(database, [list], [description], hub: hub)
    async let run: Void = sync.synchronize(over: channel)
    for await _ in began { break }
    await sync.cancel()
    await run
    #expect(try await database.conversations.conversation(room) != nil)
    #expect(description.calls.count < 50)
    #expect(await events.published(on: hub).last == .syncProgressed(nil))
  }

  @Test func `the person stops it, and has it begin anew`() async throws {
    let database = try await AccountDatabase.inMemory()
    let (began, begin) = AsyncStream<Void>.makeStream()
    let description = Module(gate: {
      begin.yield()
      try await Task.sleep(for: .seconds(3600))
    })
    let list = Module([.init(jid: room, kind: .room, opens: true)])
    let (sync, _) = synchronizer(database, [list], [description])
    #expect(await !sync.restart())
    #expect(await !sync.cancel())
    await sync.sessionStarted(.fixture, over: channel)
    var beginnings = began.makeAsyncIterator()
    await beginnings.next()
    #expect(await sync.cancel())
    await sync.finished()
    #expect(await !sync.cancel())
    #expect(await sync.restart())
    await beginnings.next()
    #expect(list.calls.count == 2 && description.calls.count == 2)
    await sync.sessionEnded()
    #expect(await !sync.restart())
  }

  @Test func `a session's start does not wait for contacts whose server says nothing`() async throws
  {
    let database = try await AccountDatabase.inMemory()
    let (began, begin) = AsyncStream<Void>.makeStream()
    let description = Module(gate: {
      begin.yield()
      for await _ in AsyncStream<Never>.makeStream().stream {}
    })
    let (sync, _) = synchronizer(database, [Module(people(3))], [description])
    await sync.sessionStarted(.fixture, over: channel)
    for await _ in began { break }
    // Nor does its end.
    await sync.sessionEnded()
    #expect(!description.calls.isEmpty)
  }

  @Test func `a domain that leaves requests without an answer is not asked again in one sync`()
    async throws
  {
    let database = try await AccountDatabase.inMemory()
    let description = Module()
    description.fail(with: ChannelError.timedOut)
    let (sync, _) = synchronizer(database, [Module(people(100))], [description])
    await sync.synchronize(over: channel)
    #expect(description.calls.count < 2 * DataSynchronizer.width)
    // The next one asks anew.
    description.fail(with: nil)
    await sync.synchronize(over: channel)
    #expect(description.calls.count > 100)
  }

  @Test func `what was refused for want of a connection is asked when the session goes on`()
    async throws
  {
    let database = try await AccountDatabase.inMemory()
    let (list, description) = (Module(people(2)), Module())
    description.fail(with: ChannelError.notConnected)
    let (sync, _) = synchronizer(database, [list], [description])
    await sync.synchronize(over: channel)
    description.fail(with: nil)
    await sync.sessionResumed()
    await sync.finished()
    #expect(list.calls.count == 2 && description.calls.count == 4)
    // Nothing is left to do.
    await sync.sessionResumed()
    await sync.finished()
    #expect(list.calls.count == 2)
  }

  @Test func `an unknown command is logged and skipped`() async throws {
    let database = try await AccountDatabase.inMemory()
    let (sync, inbox) = synchronizer(database, [Module(people(1))])
    await inbox.receive([invitation("i1")])
    #expect(try await database.commands.pendingCommands().isEmpty)
    await sync.synchronize(over: channel)
  }

  @Test
  func
    `stanza -> command? yes: it is on the list before its handler runs, and stays there until that went well`()
    async throws
  {
    let database = try await AccountDatabase.inMemory()
    let handler = Module(kinds: [.roomInvitation])
    handler.fail(with: StanzaError(.cancel, .itemNotFound))
    let (_, inbox) = synchronizer(database, [], [], [handler])
    await inbox.receive([invitation("i1")])
    let pending = try await database.commands.pendingCommands()
    #expect(pending.map(\.kind) == [.roomInvitation])
    #expect(pending.first?.sender == room)
    #expect(
      pending.first?.stanza
        == { if case .message(let m) = invitation("i1") { m.element } else { nil } }())
    // The program was started again.
    handler.fail(with: nil)
    let (sync, _) = synchronizer(database, [Module(people(1))], [], [handler])
    await sync.synchronize(over: channel)
    #expect(try await database.commands.pendingCommands().isEmpty)
  }

  @Test func `notifications that a server sends twice are applied once`() async throws {
    let database = try await AccountDatabase.inMemory()
    let handler = Module(kinds: [.published])
    let (_, inbox) = synchronizer(database, [], [], [handler])
    func published(_ name: String) -> Stanza {
      let events = "http://jabber.org/protocol/pubsub#event"
      return .message(
        from: "bob@example.org", type: "headline",
        Element(
          "event", events, [:],
          [
            Element(
              "items", events, ["node": "http://jabber.org/protocol/nick"],
              [
                Element(
                  "item", events, ["id": "current"],
                  [Element("nick", "http://jabber.org/protocol/nick", text: name)])
              ])
          ]))
    }
    // To the full address, and once more to the bare one.
    await inbox.receive([published("Bob"), published("Bob")])
    await inbox.receive([published("Bobby")])
    await inbox.receive([published("Bob")])
    #expect(handler.calls.count == 3)
    #expect(try await database.commands.pendingCommands().isEmpty)
  }

  @Test func `what is a command and what is not`() {
    let user = "http://jabber.org/protocol/muc#user"
    func exit(_ codes: String..., destroyed: Bool = false) -> Stanza {
      guard
        case .presence(let presence) = Stanza.presence(
          from: "hill@rooms.example.org/alice", type: "unavailable")
      else { return .message(from: nil) }
      var element = presence.element
      element.append(
        Element(
          "x", user, [:],
          codes.map { Element("status", user, ["code": $0]) }
            + (destroyed ? [Element("destroy", user)] : [])))
      return .presence(PresenceStanza(element))
    }
    func kind(_ stanza: Stanza) -> SyncCommand.Kind? { SyncCommand(stanza, for: account)?.kind }
    #expect(kind(exit("110", "307")) == .roomExit)
    #expect(kind(exit("110", "301")) == .roomExit)
    #expect(kind(exit(destroyed: true)) == .roomExit)
    #expect(kind(exit("307")) == nil)
    #expect(kind(exit("110")) == nil)
    #expect(kind(.presence(from: "bob@example.org", type: "subscribe")) == .contactRequest)
    #expect(kind(.presence(from: "bob@example.org")) == nil)
    #expect(kind(.message(from: "bob@example.org", body: "hi")) == nil)
    #expect(
      kind(
        .message(
          from: "bob@example.org", Element("x", "jabber:x:conference", ["jid": room.description])))
        == .roomInvitation)
    #expect(
      kind(
        .message(
          from: room.description, type: "groupchat",
          Element("x", user, [:], [Element("status", user, ["code": "104"])]))) == .roomChanged)
    let block = Element("block", "urn:xmpp:blocking")
    #expect(kind(.iq(from: nil, type: "set", block)) == .blockList)
    #expect(kind(.iq(from: "alice@example.org", type: "set", block)) == .blockList)
    #expect(kind(.iq(from: "mallory@example.org", type: "set", block)) == nil)
    #expect(kind(.iq(from: nil, type: "result", block)) == nil)
  }
}
