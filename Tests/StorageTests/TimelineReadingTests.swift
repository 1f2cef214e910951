import Foundation
import NatterCore
import SQLite
import Testing
import XMPP

@testable import Storage

@Suite struct TimelineReadingTests {
  /// Twenty-five messages, five to each second, stored in an order that is not theirs; one in
  /// another conversation.
  static func filled() async throws -> (AccountDatabase, [Message]) {
    let account = try await AccountDatabase.inMemory()
    let batch = (0..<25).map { Sample.message("m\($0)", at: Double($0 * 7 % 5)) }
    let (stored, _) = try await account.messages.insert(
      batch + [Sample.message("elsewhere", in: Sample.room)], countsUnread: { _ in false }
    ).parts
    return (account, stored.dropLast().sorted { $0.position < $1.position })
  }

  @Test(arguments: [1, 2, 7, 25, 100])
  func `pages back and forth show each message once, in order`(size: Int) async throws {
    let (account, all) = try await Self.filled()
    var seen = try await account.timeline.latest(size, in: Sample.juliet)
    #expect(seen == Array(all.suffix(size)))
    while let first = seen.first {
      let page = try await account.timeline.messages(
        before: first.position, size, in: Sample.juliet)
      if page.isEmpty { break }
      seen = page + seen
    }
    #expect(seen == all)
    var forward = [all[0]]
    while let last = forward.last {
      let page = try await account.timeline.messages(after: last.position, size, in: Sample.juliet)
      if page.isEmpty { break }
      forward += page
    }
    #expect(forward == all)
  }

  @Test func `a page of nothing is empty`() async throws {
    let (account, all) = try await Self.filled()
    for count in [0, -1, Int.min] {
      #expect(try await account.timeline.latest(count, in: Sample.juliet).isEmpty)
      #expect(
        try await account.timeline.messages(before: all[9].position, count, in: Sample.juliet)
          .isEmpty)
      #expect(
        try await account.timeline.messages(after: all[9].position, count, in: Sample.juliet)
          .isEmpty)
    }
    let stranger = JID(local: nil, domain: "nowhere.example")
    #expect(try await account.timeline.latest(5, in: stranger).isEmpty)
  }

  @Test func `a full address names the conversation of its bare one`() async throws {
    let (account, all) = try await Self.filled()
    #expect(try await account.timeline.latest(3, in: Sample.tablet) == Array(all.suffix(3)))
  }

  @Test func `extreme and invalid times can be stored and paged over`() async throws {
    let account = try await AccountDatabase.inMemory()
    let times = [
      -Double.greatestFiniteMagnitude, -1e15, -0.000001, 0, 0.1 + 0.2, 4e9, 1e15, .infinity, .nan,
    ]
    var batch: [IncomingMessage] = []
    for time in times {
      var message = Sample.message("\(time)")
      message.sentAt = Date(timeIntervalSince1970: time)
      batch.append(message)
    }
    let (stored, _) = try await account.messages.insert(batch, countsUnread: { _ in true }).parts
    let all = try await account.timeline.latest(100, in: Sample.juliet)
    #expect(all == stored.sorted { $0.position < $1.position })
    var backwards: [Message] = try await account.timeline.latest(1, in: Sample.juliet)
    while let first = backwards.first, backwards.count <= times.count {
      let page = try await account.timeline.messages(before: first.position, 1, in: Sample.juliet)
      if page.isEmpty { break }
      backwards = page + backwards
    }
    #expect(backwards == all)
  }

  @Test(
    arguments: TimelineQuery.allCases.map(\.sql) + [
      OutboxQuery.queued, OutboxQuery.byOriginID, OutboxQuery.byID,
    ])
  func `a page costs what it shows: no scan, no sorting`(sql: String) async throws {
    let (account, _) = try await Self.filled()
    let count = sql.count { $0 == "?" }
    let plan = try await account.database.read { db in
      try db.rows(
        "EXPLAIN QUERY PLAN " + sql, arguments: Array(repeating: 1, count: count)
      ) { $0.string(3) }
    }
    #expect(!plan.isEmpty)
    for line in plan {
      // What is asked of another row is found by its number.
      let isHeading = line.hasSuffix("SUBQUERY \(line.last ?? "?")")
      #expect(line.hasPrefix("SEARCH") || isHeading, "\(plan)")
      #expect(!line.contains("TEMP B-TREE"), "\(plan)")
    }
  }

  @Test(arguments: [
    (TimelineQuery.latest, "(conversation=?)"), (.before, "(conversation=? AND position<?)"),
    (.sameTimeBefore, "(conversation=? AND position=? AND rowid<?)"),
    (.after, "(conversation=? AND position>?)"),
    (.sameTimeAfter, "(conversation=? AND position=? AND rowid>?)"),
  ])
  func `a page is one range of the index`(query: TimelineQuery, range: String) async throws {
    let (account, _) = try await Self.filled()
    let count = query.sql.count { $0 == "?" }
    let plan = try await account.database.read { db in
      try db.rows(
        "EXPLAIN QUERY PLAN " + query.sql, arguments: Array(repeating: 1, count: count)
      ) { $0.string(3) }
    }
    #expect(plan.contains { $0.contains("message_page " + range) }, "\(plan)")
  }
}
