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
    private(set) var isTaken = false
    func add(_ pause: Duration) { all.append(pause) }
    func noteTaken() { isTaken = true }
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
    for message in messages { publisher.yield(.messagesChanged([message])) }
    publisher.yield(.blockListChanged)
    publisher.yield(.messagesRemoved(conversation: bob, [Message.ID(1)]))
    publisher.finish()
    await SearchUpkeep(search: account.search, log: .none, sleep: { await pauses.add($0) })
      .run(events)
    #expect(await pauses.all == Array(repeating: .seconds(5), count: 3))
  }

  @Test func `events do not wait in memory until it is completed`() async throws {
    let account = try await AccountDatabase.inMemory()
    let (events, publisher) = AsyncStream<DomainEvent>.makeStream(
      bufferingPolicy: .bufferingNewest(1))
    let pauses = Pauses()
    let upkeep = SearchUpkeep(search: account.search, log: .none) { pause in
      await pauses.add(pause)
      publisher.yield(.blockListChanged)
      // An event is dropped as long as the one before it waits.
      for _ in 0..<100_000 {
        await Task.yield()
        if case .enqueued = publisher.yield(.blockListChanged) {
          await pauses.noteTaken()
          break
        }
      }
      publisher.finish()
    }
    await upkeep.run(events)
    #expect(await pauses.all == [.seconds(5)])
    #expect(await pauses.isTaken)
  }
}
