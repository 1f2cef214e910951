import Foundation
import Diagnostics
import NatterCore
import Storage
import TestSupport
import Testing
import XMPP

@testable import natter

/// The index of the texts, completed while the program runs.
@Suite struct SearchUpkeepTests {
  private actor Pauses {
    private(set) var all: [Duration] = []

    /// Returns the number of pauses.
    @discardableResult func add(_ pause: Duration) -> Int {
      all.append(pause)
      return all.count
    }
  }

  private actor Countdown {
    private var left: Int
    init(_ count: Int) { left = count }

    /// Returns `false` at the end.
    func next() -> Bool {
      left -= 1
      return left >= 0
    }
  }

  @Test func `it is completed at the start, and after what was deleted`() async throws {
    let account = try await AccountDatabase.inMemory()
    let pauses = Pauses()
    let bob = JID(local: "bob", domain: "localhost")
    let messages = [nil, Message.Retraction.author].map {
      Message(
        id: Message.ID(1), conversation: bob, sender: bob, direction: .incoming, body: "",
        sentAt: .init(timeIntervalSince1970: 0), originID: nil, retraction: $0)
    }
    let (events, publisher) = AsyncStream<DomainEvent>.makeStream()
    let upkeep = SearchUpkeep(
      search: account.search, log: .none,
      sleep: {
        let count = await pauses.add($0)
        switch count {
        case 1: publisher.yield(.messagesChanged([messages[1]]))
        case 2: publisher.yield(.messagesRemoved(conversation: bob, [Message.ID(1)]))
        default:
          publisher.yield(.messagesChanged([messages[0]]))
          publisher.yield(.blockListChanged)
          publisher.finish()
        }
      })
    await upkeep.run(events)
    #expect(await pauses.all == Array(repeating: .seconds(5), count: 3))
  }

  @Test func `many deletions while it works are completed at once`() async throws {
    let account = try await AccountDatabase.inMemory()
    let (pauses, deletions) = (Pauses(), Countdown(100))
    let bob = JID(local: "bob", domain: "localhost")
    let (unread, reading) = AsyncStream<Void>.makeStream()
    let events = AsyncStream<DomainEvent>(unfolding: {
      if await deletions.next() { return .messagesRemoved(conversation: bob, [Message.ID(1)]) }
      reading.finish()
      return nil
    })
    let upkeep = SearchUpkeep(
      search: account.search, log: .none,
      sleep: {
        await pauses.add($0)
        for await _ in unread {}
      })
    await upkeep.run(events)
    #expect(await pauses.all == [.seconds(5), .seconds(5)])
  }
}
