import Diagnostics
import NatterCore
import SQLite
import TestSupport
import Testing
import XML
import XMPP

@testable import PeopleService
@testable import Storage

/// Any number of roster pushes costs so much for each of them, however many there were before.
@Suite struct RosterFloodTests {
  /// As they come alone, and as many of them come in one read of the stream.
  @Test(arguments: [1, 100])
  func `two thousand pushes are applied to the end in work that grows with their number`(
    together: Int
  ) async throws {
    try await RosterFlood(count: 2000).holds(together: together)
  }
}

@Suite(.long) struct RosterFloodLongTests {
  @Test(arguments: [1, 100])
  func `ten thousand pushes are applied to the end in work that grows with their number`(
    together: Int
  ) async throws {
    try await RosterFlood(count: 10_000).holds(together: together)
  }
}

/// A flood of roster pushes. Counted are the steps of SQLite's virtual machine, the contacts that
/// are announced, and the answers.
private struct RosterFlood {
  /// The number of contacts, in tens.
  let count: Int
  private let alice = JID(local: "alice", domain: "example.org")

  init(count: Int) { self.count = count }

  private static func push(_ number: Int, _ subscription: String) -> Stanza {
    let item = Element(
      "item", Namespace.roster,
      ["jid": "c\(number)@example.org", "name": "C \(number)", "subscription": subscription],
      subscription == "remove" ? [] : [Element("group", Namespace.roster, text: "Friends")])
    return .iq(
      from: nil, type: "set", id: "p\(number)",
      Element("query", Namespace.roster, ["ver": "\(number)"], [item]))
  }

  /// - Parameter together: the number of pushes that come in one read of the stream.
  func holds(together: Int) async throws {
    let database = try await AccountDatabase.inMemory()
    let hub = EventHub()
    let presence = PresenceTracker(
      account: alice, roster: database.roster, hub: hub, log: .none, capabilities: { nil },
      memory: database.presence)
    let keeper = RosterSync(
      account: alice, store: database.roster, hub: hub, log: .none, requests: presence)
    let channel = RecordingChannel()
    await keeper.sessionStarted(.fixture, over: channel)
    let events = hub.events()
    let sent = await channel.sent.count
    func work(_ numbers: Range<Int>, _ subscription: String) async throws -> Int {
      let before = try await database.database.read { $0.work }
      for start in stride(from: numbers.lowerBound, to: numbers.upperBound, by: together) {
        let end = min(start + together, numbers.upperBound)
        await keeper.receive((start..<end).map { Self.push($0, subscription) })
      }
      return try await database.database.read { $0.work } - before
    }
    // The first tenth, and the last one.
    let tenth = count / 10
    let first = try await work(0..<tenth, "both")
    let middle = try await work(tenth..<(count - tenth), "both")
    let last = try await work((count - tenth)..<count, "both")
    #expect(last * 2 < first * 3, "\(first) steps for the first tenth, \(last) for the last")
    #expect(middle * 2 < first * 3 * 8)
    #expect(try await database.roster.contacts().count == count)
    // The same again, and all of them taken away.
    let again = try await work(0..<tenth, "both")
    #expect(again * 2 < first * 3, "\(first), then \(again)")
    let gone = try await work(0..<count, "remove")
    #expect(gone * 2 < first * 3 * 10)
    #expect(try await database.roster.contacts().isEmpty)
    // Each push is answered, and concerns no contact but its own.
    let pushes = 2 * count + tenth
    #expect(await channel.sent.count - sent == pushes)
    var announced = 0
    for event in await events.published(on: hub) {
      switch event {
      case .contactsChanged(let contacts): announced += contacts.count
      case .contactsRemoved(let removed): announced += removed.count
      default: break
      }
    }
    #expect(announced == pushes)
  }
}
