import Diagnostics
import Foundation
import MessagingService
import NatterCore
import Storage
import TestSupport
import Testing
import XMPP

@testable import natter

/// The messages that other instances leave for the one that has the account.
@Suite struct SpooledMessageImporterTests {
  private let folder: TemporaryFolder
  private let spool: MessageSpool
  private let alice = JID(local: "alice", domain: "localhost")
  private let bob = JID(local: "bob", domain: "localhost")

  init() throws {
    folder = try TemporaryFolder("handed")
    spool = MessageSpool(besideDatabase: folder.path("account.sqlite"))
  }

  private func leave(_ id: String) throws {
    try spool.leave(
      .init(
        originID: id, recipient: bob, body: id, typedAt: Date(timeIntervalSince1970: 1_700_000_000))
    )
  }

  @Test(arguments: [true, false])
  func `what comes later is taken, where the folder can be watched and where it cannot`(
    canBeWatched: Bool
  ) async throws {
    let database = try await AccountDatabase.inMemory()
    let hub = EventHub()
    let outbox = Outbox(account: alice, store: database.outbox, hub: hub, log: .none)
    let importer = SpooledMessageImporter(
      spool: spool, outbox: outbox, timeline: database.timeline, hub: hub, log: .none
    ) { $0 }
    try spool.prepare()
    try leave("first")
    let follower = Task {
      if canBeWatched { await importer.run() } else { await importer.run(watch: { _ in nil }) }
    }
    defer { follower.cancel() }
    try await until { try await database.outbox.queued().map(\.body) == ["first"] }
    try leave("second")
    try await until { try await database.outbox.queued().map(\.body) == ["first", "second"] }
    try await until { spool.entries().isEmpty }
  }
  @Test func `a message that is stored under another of its ids within a day is not sent again`()
    async throws
  {
    let database = try await AccountDatabase.inMemory()
    let hub = EventHub()
    let outbox = Outbox(account: alice, store: database.outbox, hub: hub, log: .none)
    let importer = SpooledMessageImporter(
      spool: spool, outbox: outbox, timeline: database.timeline, hub: hub, log: .none
    ) { $0 }
    let typed = Date(timeIntervalSince1970: 1_700_000_000)
    for (id, age) in [("known", 60.0), ("old", 86_400)] {
      _ = try await database.outbox.takeOver(
        id, thread: nil, to: bob, from: alice, originID: "\(id) before",
        typedAt: typed.addingTimeInterval(-age), fate: .unsent)
      var entry = MessageSpool.Entry(originID: id, recipient: bob, body: id, typedAt: typed)
      entry.otherIDs = ["\(id) before", "\(id) after"]
      try spool.leave(entry)
    }
    let follower = Task { await importer.run() }
    defer { follower.cancel() }
    try await until { spool.entries().isEmpty }
    #expect(
      Set(try await database.outbox.queued().compactMap(\.originID))
        == ["known before", "old before", "old"])
  }
}
