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

/// The account events that the server has for this account.
extension DataSynchronizerTests {
  @Test func `an unknown command is logged and skipped`() async throws {
    let database = try await AccountDatabase.inMemory()
    let (sink, handler) = (Lines(), Module(kinds: [.roomExit]))
    let list = Module(people(1))
    let (sync, inbox) = synchronizer(
      database, [list], [], [handler], log: Log(to: sink, level: .info))
    await inbox.receive([invitation("i1")])
    let line = "info an unknown command (room-invitation) is skipped"
    #expect(sink.all == [line])
    // It is not on the list, and nobody else's; what follows goes on.
    #expect(try await database.commands.pendingCommands().isEmpty)
    await sync.synchronize(over: channel)
    #expect(handler.calls.isEmpty && list.calls == ["list"])
    #expect(sink.all.filter { $0 == line }.count == 1)
  }

  /// The lines of the log.
  private final class Lines: LogSink {
    private let lines = Mutex<[String]>([])
    var all: [String] { lines.withLock { $0 } }
    func write(_ entry: LogEntry) {
      lines.withLock { $0.append("\(entry.level.rawValue) \(entry.message)") }
    }
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

  /// Returns the notification of a nickname.
  private func published(_ name: String, by sender: String = "bob@example.org") -> Stanza {
    let nicks = "http://jabber.org/protocol/nick"
    let item = Element(
      "item", XEP0060.events, ["id": "current"], [Element("nick", nicks, text: name)])
    return published(Element("items", XEP0060.events, ["node": nicks], [item]), by: sender)
  }

  /// Returns the notification of a change of a node.
  private func published(_ change: Element, by sender: String = "bob@example.org") -> Stanza {
    .message(from: sender, type: "headline", Element("event", XEP0060.events, [:], [change]))
  }

  @Test func `notifications that a server sends twice are applied once`() async throws {
    let database = try await AccountDatabase.inMemory()
    let handler = Module(kinds: [.published])
    let (_, inbox) = synchronizer(database, [], [], [handler])
    // To the full address, and once more to the bare one.
    await inbox.receive([published("Bob"), published("Bob")])
    await inbox.receive([published("Bobby")])
    await inbox.receive([published("Bob")])
    #expect(handler.calls.count == 3)
    #expect(try await database.commands.pendingCommands().isEmpty)
  }

  @Test func `a purged node can be filled again, and what the archive has of purges is old`()
    async throws
  {
    let handler = Module(kinds: [.published])
    let (_, inbox) = synchronizer(try await AccountDatabase.inMemory(), [], [], [handler])
    let events = XEP0060.events
    let purge = published(Element("purge", events, ["node": "n"]))
    let item = published(
      Element("items", events, ["node": "n"], [Element("item", events, ["id": "a"])]))
    await inbox.receive([item, item, purge, item, purge])
    #expect(handler.calls.count == 4)
    let archived = [purge, item].compactMap { stanza in
      if case .message(let message) = stanza { message } else { nil }
    }
    await inbox.take(archived.map { XEP0313Result(id: "1", stamp: Date(), message: $0) })
    #expect(handler.calls.count == 5)
  }

  @Test func `what could not be applied is kept as far as there is room for its bytes`()
    async throws
  {
    let handler = Module(kinds: [.published])
    handler.fail(with: StanzaError(.wait, .internalServerError))
    let (_, inbox) = synchronizer(try await AccountDatabase.inMemory(), [], [], [handler])
    func published(_ number: Int, bytes: Int) -> Stanza {
      let events = "http://jabber.org/protocol/pubsub#event"
      let node = "\(number) " + String(repeating: "n", count: bytes)
      return .message(
        from: "eve@evil.test", type: "headline",
        Element("event", events, [:], [Element("items", events, ["node": node])]))
    }
    let bytes = AccountEventInbox.failedByteLimit / 8
    await inbox.receive((0..<20).map { published($0, bytes: bytes) })
    let kept = try await inbox.pending()
    let weight = kept.reduce(0) { $0 + $1.stanza.weight }
    #expect(!kept.isEmpty && weight <= AccountEventInbox.failedByteLimit)
    // Each was tried, and what is short has room still.
    #expect(handler.calls.count == 20)
    await inbox.receive([published(20, bytes: 1)])
    #expect(try await inbox.pending().count == kept.count + 1)
    // A repetition of what is not kept is not passed over.
    handler.fail(with: nil)
    await inbox.receive([published(19, bytes: bytes)])
    #expect(handler.calls.count == 22)
  }

  @Test func `what could not be applied is not applied after something newer of its kind`()
    async throws
  {
    let database = try await AccountDatabase.inMemory()
    let meanwhile = Mutex<(@Sendable () async -> Void)?>(nil)
    let handler = Module(
      kinds: [.published],
      gate: {
        let action = meanwhile.withLock { action in
          defer { action = nil }
          return action
        }
        await action?()
      })
    handler.fail(with: StanzaError(.wait, .internalServerError))
    let (sync, inbox) = synchronizer(database, [], [], [handler])
    await inbox.receive([
      published("Carol", by: "carol@example.org"), published("Bob"),
      published("Dave", by: "dave@example.org"),
    ])
    handler.fail(with: nil)
    await inbox.receive([published("David", by: "dave@example.org")])
    #expect(try await inbox.pending().map(\.sender?.local) == ["carol", "bob"])
    // While carol's is applied.
    let newer = published("Bobby")
    meanwhile.withLock { $0 = { await inbox.receive([newer]) } }
    await sync.synchronize(over: channel)
    #expect(handler.calls.count == 6)
    #expect(try await inbox.pending().isEmpty)
  }

  @Test(arguments: [("groupchat", "hill@rooms.example.org"), ("chat", "rooms.example.org")])
  func `an invitation to all of a room, or to no room, is not stored as a command`(
    type: String, invited: String
  ) async throws {
    let database = try await AccountDatabase.inMemory()
    let handler = Module(kinds: [.roomInvitation])
    handler.fail(with: StanzaError(.cancel, .itemNotFound))
    let (_, inbox) = synchronizer(database, [], [], [handler])
    await inbox.receive([
      .message(
        from: "hill@rooms.example.org/eve", type: type,
        Element("x", XEP0249.namespace, ["jid": invited]))
    ])
    #expect(handler.calls.isEmpty)
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
    func kind(_ stanza: Stanza) -> AccountEvent.EventKind? {
      AccountEvent(stanza, for: account)?.kind
    }
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
    #expect(kind(.iq(from: nil, type: "set", Element("foo", "urn:xmpp:blocking"))) == nil)
  }
}
