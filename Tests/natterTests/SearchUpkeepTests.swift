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
    func add(_ pause: Duration) { all.append(pause) }
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
}
