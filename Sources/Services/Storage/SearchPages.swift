import FoundationEssentials
import NatterCore
import SQLite
import XMPP

/// The messages that match a search, newest first, page by page: any number of them needs the
/// memory of one page, and no page keeps the log of a writer from being written back for long.
package struct SearchPages: Sendable {
  private let database: Database
  private let query: SearchQuery
  private let conversation: JID?
  /// The most messages of a page.
  private let size: Int
  /// The last match that was read.
  private var last: Match?
  private var isAtEnd: Bool

  /// The time of the newest message that is not searched, because the index does not have it yet;
  /// `nil`: all are searched, or no page was read.
  package private(set) var missingUpTo: Date?

  /// A match by both orders; one conversation is in that of positions.
  private struct Match {
    let position: MessagePosition
    let found: SearchMatches.Match
  }

  init(_ database: Database, _ query: SearchQuery, in conversation: JID?, size: Int) {
    self.database = database
    self.query = query
    self.conversation = conversation
    self.size = max(1, size)
    isAtEnd = query.isEmpty
  }

  /// Returns the next messages; `nil` after the last.
  /// - Throws: `StorageError`, `CancellationError`.
  package mutating func next() async throws -> [Message]? {
    guard !isAtEnd else { return nil }
    let (query, conversation, size, last) = (query, conversation, size, last)
    let page = try await database.storing { database in
      try await database.readAside { db in
        try Self.page(of: query, in: conversation, size, before: last, db)
      }
    }
    missingUpTo = page.missingUpTo ?? missingUpTo
    isAtEnd = page.messages.count < size
    guard let message = page.messages.last else { return nil }
    self.last = Match(
      position: message.position,
      found: SearchMatches.Match(
        id: message.id, conversation: message.conversation, sentAt: message.sentAt))
    return page.messages
  }

  private static func page(
    of query: SearchQuery, in conversation: JID?, _ size: Int, before last: Match?,
    _ db: DatabaseConnection
  ) throws -> (messages: [Message], missingUpTo: Date?) {
    var missing: Date?
    var ids: [Message.ID] = []
    if let conversation {
      guard let record = try ConversationRecord.find(conversation, in: db) else { return ([], nil) }
      ids = try ConversationSearch(query, limit: size, before: last?.position)
        .find(in: record.rowID, db)
    } else {
      let found = try AccountSearch(query, limit: size, before: last?.found).find(in: db)
      (ids, missing) = (found.matches.map(\.id), found.missingUpTo)
    }
    let messages = try ids.compactMap {
      try db.firstRow(OutboxQuery.byID, $0.rawValue, map: MessageRecord.message)
    }
    return (messages, missing)
  }
}

extension SearchStore {
  /// Returns all messages that match, in an account or a conversation of it; the terms mean the
  /// same as in `messages` and `matches`.
  /// - Parameter size: the most messages that are read at once.
  package func pages(of query: SearchQuery, in conversation: JID?, size: Int = 500) -> SearchPages {
    SearchPages(database, query, in: conversation, size: size)
  }
}
