import NatterCore
import SQLite
import XMPP

/// Finds messages by their texts. Messages that wait for the index are read one by one; those that
/// it does not have yet are found in one conversation only, by the terms as parts of their texts.
package struct SearchStore: Sendable {
  let database: Database
  init(_ database: Database) { self.database = database }

  /// Does the next part of what is left to do for the index, in a transaction of its own: it takes
  /// about as long as four frames.
  /// - Returns: `false` if nothing was left.
  package func maintain() async throws -> Bool {
    try await database.storing { database in
      try await database.write { db in
        // Both are needed rarely, and the index is filled first.
        if try SearchIndex.fill(in: db) { return true }
        return try SearchIndex.merge(in: db)
      }
    }
  }
}

extension SearchStore: MessageSearching {
  package func messages(having query: SearchQuery, in conversation: JID, limit: Int) async throws
    -> [Message.ID]
  {
    guard !query.isEmpty, limit > 0 else { return [] }
    let search = ConversationSearch(query, limit: limit)
    return try await reading { db in
      guard let record = try ConversationRecord.find(conversation, in: db) else { return [] }
      return try search.find(in: record.rowID, db)
    }
  }

  package func matches(of query: SearchQuery, limit: Int) async throws -> SearchMatches {
    guard !query.isEmpty, limit > 0 else { return SearchMatches() }
    let search = AccountSearch(query, limit: limit)
    return try await reading { try search.find(in: $0) }
  }

  package func bestMatches(of query: SearchQuery, limit: Int) async throws -> SearchMatches {
    guard !query.isEmpty, limit > 0 else { return SearchMatches() }
    let search = AccountSearch(query, limit: limit)
    return try await reading { try search.findBest(in: $0) }
  }

  package func storedMessages(in conversation: JID) async throws -> Int {
    try await reading { db in
      guard let record = try ConversationRecord.find(conversation, in: db) else { return 0 }
      return try db.firstRow(
        "SELECT COUNT(*) FROM message WHERE conversation = ?", record.rowID
      ) { $0.int(0) } ?? 0
    }
  }

  /// Reads apart from writers.
  private func reading<Value: Sendable>(
    _ body: @escaping @Sendable (DatabaseConnection) throws -> Value
  ) async throws -> Value {
    try await database.storing { database in try await database.readAside(body) }
  }
}
