import Foundation
import NatterCore
import Storage
import Testing
import XMPP

@testable import natter

/// Reading a conversation in pages, and the gaps between its messages.
@Suite struct StoredHistoryTests {
  private static let juliet = JID(local: "juliet", domain: "example.org")

  nonisolated static func date(_ seconds: Int) -> Date {
    Date(timeIntervalSince1970: 1_700_000_000 + Double(seconds))
  }

  /// A conversation with messages 0 to 9, of which 4 and 5 have the same time.
  private func database() async throws -> AccountDatabase {
    let database = try await AccountDatabase.inMemory()
    let times = [0, 1, 2, 3, 4, 4, 6, 7, 8, 9]
    _ = try await database.messages.insert(
      times.enumerated().map { number, seconds in
        IncomingMessage(
          conversation: Self.juliet, sender: Self.juliet, body: "\(number)",
          sentAt: Self.date(seconds), originID: "o\(number)")
      }, countsUnread: { _ in false })
    return database
  }

  private func read(
    from start: Int? = nil, until end: Int? = nil, limit: Int? = nil, pageSize: Int = 3
  ) async throws -> (texts: String, isCut: Bool) {
    let reader = StoredHistory(
      timeline: try await database().timeline, conversation: Self.juliet,
      period: HistoryPeriod(start: start.map(Self.date), end: end.map(Self.date), limit: limit),
      pageSize: pageSize)
    var cursor = try await reader.start()
    let isCut = cursor.isCut
    var texts = ""
    while let page = try await reader.page(after: &cursor) {
      texts += page.map(\.body).joined()
    }
    return (texts, isCut)
  }

  @Test(arguments: [1, 3, 10, 11])
  func `all messages come once, whatever the size of a page`(pageSize: Int) async throws {
    #expect(try await read(pageSize: pageSize).texts == "0123456789")
    #expect(try await read(limit: 10, pageSize: pageSize) == ("0123456789", false))
    #expect(try await read(limit: 100, pageSize: pageSize) == ("0123456789", false))
    #expect(try await read(limit: 5, pageSize: pageSize) == ("56789", true))
    #expect(try await read(limit: 1, pageSize: pageSize) == ("9", true))
    #expect(try await read(from: 4, pageSize: pageSize).texts == "456789")
    #expect(try await read(until: 4, pageSize: pageSize).texts == "0123")
    #expect(try await read(from: 2, until: 5, pageSize: pageSize).texts == "2345")
    #expect(try await read(from: 2, until: 5, limit: 3, pageSize: pageSize) == ("345", true))
    #expect(try await read(from: 2, until: 5, limit: 4, pageSize: pageSize) == ("2345", false))
    #expect(try await read(from: 100, limit: 4, pageSize: pageSize).texts == "")
    #expect(try await read(until: 0, limit: 4, pageSize: pageSize).texts == "")
    #expect(try await read(from: 5, until: 3, pageSize: pageSize).texts == "")
  }

  @Test(arguments: [1, 3, 100])
  func `everything is read in order, until the reader has enough`(pageSize: Int) async throws {
    struct Enough: Error {}
    let reader = StoredHistory(
      timeline: try await database().timeline, conversation: Self.juliet,
      period: HistoryPeriod(start: nil, end: nil, limit: nil), pageSize: pageSize)
    let hole = HistoryHole(after: Self.date(6), before: Self.date(7))
    var texts = ""
    try await reader.read(among: [hole], gap: { _ in texts += "-" }) { texts += $0.body }
    #expect(texts == "0123456-789")
    texts = ""
    do {
      try await reader.read(among: [], gap: { _ in }) {
        guard $0.body != "5" else { throw Enough() }
        texts += $0.body
      }
      Issue.record("it was read to its end")
    } catch is Enough {
      #expect(texts == "01234")
    }
  }

  @Test func `an unknown conversation has no messages`() async throws {
    let reader = StoredHistory(
      timeline: try await AccountDatabase.inMemory().timeline, conversation: Self.juliet,
      period: HistoryPeriod(start: nil, end: nil, limit: 3))
    var cursor = try await reader.start()
    #expect(try await reader.page(after: &cursor) == nil)
  }

  @Test func `gaps are printed once, between the messages around them`() {
    func hole(_ after: Int, _ before: Int) -> HistoryHole {
      HistoryHole(after: Self.date(after), before: Self.date(before))
    }
    let holes = [hole(5, 6), hole(1, 2), hole(9, 12)]
    // From the beginning: the first one is known to be there.
    var marks = HoleMarks(holes, before: nil)
    marks.begin(at: .distantPast)
    #expect(marks.next(before: Self.date(1)) == [])
    #expect(marks.next(before: Self.date(2)) == [hole(1, 2)])
    #expect(marks.next(before: Self.date(3)) == [])
    #expect(marks.next(before: Self.date(7)) == [hole(5, 6)])
    #expect(marks.rest == [hole(9, 12)])
    // Only the newest messages: what is missing before the first is not printed.
    marks = HoleMarks(holes, before: Self.date(9))
    marks.begin(at: nil)
    #expect(marks.next(before: Self.date(4)) == [])
    #expect(marks.next(before: Self.date(7)) == [hole(5, 6)])
    #expect(marks.rest == [])
    // Nothing is printed at all.
    marks = HoleMarks(holes, before: nil)
    marks.begin(at: Self.date(3))
    #expect(marks.rest == [hole(5, 6), hole(9, 12)])
  }

  @Test func `gaps are known without a connection`() async throws {
    let account = JID(local: "me", domain: "example.org")
    let database = try await AccountDatabase.inMemory()
    func message(_ number: Int) -> IncomingMessage {
      IncomingMessage(
        conversation: Self.juliet, sender: Self.juliet, body: "\(number)",
        sentAt: Self.date(number), originID: nil, stanzaID: "s\(number)")
    }
    for numbers in [[1, 2], [8, 9]] {
      let edges = numbers.map { ArchivePosition(id: "s\($0)", at: Self.date($0)) }
      _ = try await database.archiveRanges.insert(
        numbers.map(message),
        making: ArchiveRange(
          archive: account, peer: nil, start: edges[0], end: edges[1],
          reachesBeginning: numbers[0] == 1),
        absorbing: [], beginningWithFirst: false, adjoining: .unknown
      ) { _ in false }
    }
    let holes = try await StoredHoles(account: account, database: database)
      .holes(in: Self.juliet)
    #expect(holes == [HistoryHole(after: Self.date(2), before: Self.date(8))])
  }
}
