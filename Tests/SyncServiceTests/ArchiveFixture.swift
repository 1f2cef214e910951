import Diagnostics
import Foundation
import NatterCore
import Storage
import Synchronization
import TestSupport
import XMPP

@testable import SyncService

/// An account with a database, an archive on the other side, and what is published.
struct ArchiveFixture {
  let account = JID(local: "alice", domain: "example.org")
  let bob = JID(local: "bob", domain: "example.org")
  let carol = JID(local: "carol", domain: "example.org")
  let hub = EventHub()
  let database: AccountDatabase
  let clock = ManualClock(Date(timeIntervalSince1970: 1_700_200_000))
  var now: Date { clock.now }

  init() async throws { database = try await .inMemory() }

  func synchronizer() -> ArchiveSynchronizer {
    let clock = clock
    return ArchiveSynchronizer(
      account: account, store: database.messages, deliveries: database.messages,
      copies: CarbonCopies(account: account, log: .none), hub: hub, log: .none,
      isRoom: { [conversations = database.conversations] in
        (try? await conversations.conversation($0))??.kind == .room
      }, now: { clock.now })
  }

  /// Signs in with copies on, catches up, and stays.
  func signIn(to archive: ScriptedArchive) async -> ArchiveSynchronizer {
    let synchronizer = synchronizer()
    await synchronizer.copies.sessionStarted(.fixture, over: archive)
    await synchronizer.sessionStarted(.fixture, over: archive)
    return synchronizer
  }

  /// When entry number `number` was sent: one a minute.
  static func stamp(_ number: Int) -> Date {
    Date(timeIntervalSince1970: 1_700_000_000 + Double(number) * 60)
  }

  /// The entry number `number`, ids of a server's own.
  func entry(
    _ number: Int, from sender: JID? = nil, to recipient: JID? = nil, prefix: String = "a"
  ) -> ScriptedArchive.Entry {
    var element = Element(
      "message", Namespace.client, ["type": "chat", "id": "m\(number)"],
      [Element("body", Namespace.client, text: "text \(number)")])
    element["from"] = (sender ?? bob.with(resource: "x"))?.description
    element["to"] = (recipient ?? account).description
    return .init(
      id: "\(prefix)\(number)",
      stamp: Self.stamp(number),
      message: MessageStanza(element))
  }

  func entries(_ numbers: ClosedRange<Int>) -> [ScriptedArchive.Entry] { numbers.map { entry($0) } }

  /// The entry as the server delivers it at once.
  func live(_ entry: ScriptedArchive.Entry) -> Stanza {
    var element = entry.message.element
    element.append(
      Element(
        "stanza-id", Namespace.stanzaIDs, ["by": account.description, "id": entry.id]))
    return .message(MessageStanza(element))
  }

  /// The entry as the server delivers what it had to keep.
  func delayed(_ entry: ScriptedArchive.Entry) -> Stanza {
    var element = live(entry).element
    element.append(
      Element(
        "delay", Namespace.delay,
        ["from": account.domain, "stamp": XEP0082DateTime.text(for: entry.stamp)]))
    return .message(MessageStanza(element))
  }

  /// Signs in and fills all holes.
  @discardableResult func signInAndFill(to archive: ScriptedArchive) async -> ArchiveSynchronizer {
    let synchronizer = await signIn(to: archive)
    await synchronizer.fillHoles()
    return synchronizer
  }

  /// The numbers of the messages that the database has, in its order.
  func numbers(in conversation: JID? = nil) async throws -> [Int] {
    try await bodies(in: conversation).map { Int($0.dropFirst(5)) ?? -1 }
  }

  /// Whether no two messages of `conversation` stand side by side as if nothing were missing, where something is.
  func isHonest(in conversation: JID? = nil) async throws -> Bool {
    let peer = conversation ?? bob
    let messages = try await database.messages.latest(10_000, in: peer)
    let holes = try await synchronizer().holes(in: peer)
    return zip(messages, messages.dropFirst()).allSatisfy { first, second in
      let step = (Int(second.body.dropFirst(5)) ?? 0) - (Int(first.body.dropFirst(5)) ?? 0)
      return step == 1
        || holes.contains { $0.after >= first.sentAt && $0.after < second.sentAt }
    }
  }

  func bodies(in conversation: JID? = nil) async throws -> [String] {
    try await database.messages.latest(10_000, in: conversation ?? bob).map(\.body)
  }

  func texts(_ numbers: ClosedRange<Int>) -> [String] { numbers.map { "text \($0)" } }
}

/// A clock that stands where a test puts it.
final class ManualClock: Sendable {
  private let time: Mutex<Date>
  init(_ now: Date) { time = Mutex(now) }
  var now: Date { time.withLock { $0 } }
  func set(_ now: Date) { time.withLock { $0 = now } }
}
