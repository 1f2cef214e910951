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

/// flows.md, "Data sync": every branch.
@Suite struct DataSynchronizerTests {
  /// A list, a description and a handler in one, with a record of what was asked of it.
  final class Module: ConversationListing, ConversationDescribing, AccountEventHandling {
    let kinds: Set<AccountEvent.EventKind>
    private let listed: [ListedConversation]
    private let state = Mutex(
      (calls: [String](), running: 0, most: 0, failure: (any Error)?.none))
    private let gate: (@Sendable () async throws -> Void)?

    init(
      _ listed: [ListedConversation] = [], kinds: Set<AccountEvent.EventKind> = [],
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
    func apply(_ command: AccountEvent) async throws { try await called("apply \(command.id)") }
  }

  let account = JID(local: "alice", domain: "example.org")
  let room = JID(local: "hill", domain: "rooms.example.org")
  let channel = RecordingChannel()

  func people(_ count: Int) -> [ListedConversation] {
    (0..<count).map {
      ListedConversation(
        jid: JID(local: "p\($0)", domain: "example.org"), kind: .direct, opens: false)
    }
  }

  func synchronizer(
    _ database: AccountDatabase, _ lists: [Module], _ descriptions: [Module] = [],
    _ handlers: [Module] = [], hub: EventHub = EventHub(), log: Log = .none
  ) -> (DataSynchronizer, AccountEventInbox) {
    let inbox = AccountEventInbox(
      account: account, store: database.commands, handlers: handlers, log: log)
    return (
      DataSynchronizer(
        lists: lists, descriptions: descriptions, commands: inbox, store: database.commands,
        hub: hub, log: log), inbox
    )
  }

  func invitation(_ id: String) -> Stanza {
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

  @Test func `progress is reported from the list to the last command, and goes`() async throws {
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
    let reported = await events.published(on: hub).compactMap { event -> SyncProgress?? in
      if case .syncProgressed(let progress) = event { progress } else { nil }
    }
    #expect(
      reported.compactMap { $0 } == [
        SyncProgress(.list, done: 0, total: 2), SyncProgress(.list, done: 1, total: 2),
        SyncProgress(.list, done: 2, total: 2), SyncProgress(.details, done: 0, total: 21),
        SyncProgress(.details, done: 8, total: 21), SyncProgress(.details, done: 16, total: 21),
        SyncProgress(.details, done: 21, total: 21), SyncProgress(.commands, done: 0, total: 2),
        SyncProgress(.commands, done: 1, total: 2),
      ])
    #expect(reported.last == .some(nil))
  }

  @Test func `saves in batches: all that the lists hold is stored, and reported, at once`()
    async throws
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
    let reported = await events.published(on: hub).compactMap { event -> Int? in
      if case .conversationsChanged(let changed) = event { changed.count } else { nil }
    }
    #expect(reported == [40])
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
      try await Pause.endless(.zero)
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

  @Test func `the user stops it, and has it begin anew`() async throws {
    let database = try await AccountDatabase.inMemory()
    let (began, begin) = AsyncStream<Void>.makeStream()
    let description = Module(gate: {
      begin.yield()
      try await Pause.endless(.zero)
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
}
