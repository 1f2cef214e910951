import FoundationEssentials
import NatterCore
import XMPP

/// The messages of a conversation that are wanted.
nonisolated struct HistoryPeriod: Sendable {
  /// The first moment; `nil`: since the beginning.
  let start: Date?
  /// The moment after the last; `nil`: until now.
  let end: Date?
  /// The most messages, of which the newest count; `nil`: all.
  let limit: Int?
}

/// Reads the messages of a period, the oldest first, a limited number at once: the program that has
/// the database open can write its log back between two readings.
nonisolated struct StoredHistory: Sendable {
  let timeline: any TimelineReading
  let conversation: JID
  let period: HistoryPeriod
  var pageSize = HistoryCommand.pageSize

  /// The position up to which the messages were read.
  struct Cursor: Sendable {
    /// The position after which the next page begins.
    var position: MessagePosition
    /// The last message that is wanted; `nil`: there is no last one.
    let last: MessagePosition?
    /// Indicates whether the limit leaves out older messages of the period.
    let isCut: Bool
    /// Indicates whether nothing follows.
    var isAtEnd = false
  }

  private var lowest: MessagePosition {
    MessagePosition(at: period.start ?? .distantPast, id: Message.ID(.min))
  }

  /// Returns the position before the first message that is wanted.
  func start() async throws -> Cursor {
    guard var missing = period.limit else {
      return Cursor(position: lowest, last: nil, isCut: false)
    }
    var first = MessagePosition(at: period.end ?? .distantFuture, id: Message.ID(.min))
    var last: MessagePosition?
    while missing > 0 {
      let count = min(missing, pageSize)
      let page = try await timeline.messages(before: first, count, in: conversation)
      // Messages that are stored meanwhile are not among those.
      if last == nil { last = page.last?.position }
      guard let oldest = page.first?.position, oldest > lowest, page.count == count else {
        return Cursor(position: lowest, last: last, isCut: false, isAtEnd: last == nil)
      }
      first = oldest
      missing -= count
    }
    let before = MessagePosition(at: first.time, id: Message.ID(first.id.rawValue - 1))
    let older = try await timeline.messages(before: first, 1, in: conversation)
    return Cursor(
      position: before, last: last, isCut: older.last.map { $0.position > lowest } ?? false)
  }

  /// Returns the next messages; `nil` after the last.
  func page(after cursor: inout Cursor) async throws -> [Message]? {
    guard !cursor.isAtEnd else { return nil }
    let read = try await timeline.messages(after: cursor.position, pageSize, in: conversation)
    let (last, end) = (cursor.last, period.end)
    // From the end: all of them are wanted, but for those of the last page.
    var count = read.count
    while count > 0 {
      let position = read[count - 1].position
      if last.map({ position <= $0 }) ?? true, end.map({ position.time < $0 }) ?? true { break }
      count -= 1
    }
    cursor.isAtEnd = count < pageSize
    if count > 0 { cursor.position = read[count - 1].position }
    return count < read.count ? Array(read[..<count]) : read
  }
}

nonisolated extension StoredHistory {
  /// Reads everything that is wanted: calls `message` with each message, the oldest first, and
  /// `gap` where others may be missing between them.
  func read(
    among holes: [HistoryHole], gap: (HistoryHole) throws -> Void,
    message: (Message) async throws -> Void
  ) async throws {
    var marks = HoleMarks(holes, before: period.end)
    let cursor = try await start()
    // Before the first message of a period nothing shows whether its predecessor is known.
    marks.begin(at: cursor.isCut ? nil : period.start ?? .distantPast)
    var pages = try await following(cursor)
    while let (page, cursor) = pages {
      // The database reads the next page while this one is used.
      async let next = following(cursor)
      for stored in page {
        try marks.next(before: stored.position.time).forEach(gap)
        try await message(stored)
      }
      pages = try await next
    }
    try marks.rest.forEach(gap)
  }

  private func following(
    _ cursor: Cursor
  ) async throws -> (page: [Message], cursor: Cursor)? {
    var cursor = cursor
    return try await page(after: &cursor).map { ($0, cursor) }
  }
}
