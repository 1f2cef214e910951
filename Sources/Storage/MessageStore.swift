import Foundation
import NatterCore
import SQLite
import XMPP

/// The messages of an account.
package struct MessageStore: Sendable {
  let database: Database
  init(_ database: Database) { self.database = database }
}

extension MessageStore: MessageStoring {
  package func insert(
    _ messages: [IncomingMessage], countsUnread: @Sendable (IncomingMessage) -> Bool
  ) async throws -> (messages: [Message], conversations: [Conversation]) {
    let arrivals = messages.map {
      (message: $0, counts: $0.direction == .incoming && countsUnread($0))
    }
    return try await database.storing { database in
      try await database.write { db in
        var stored: [Message] = []
        var records: [JID: ConversationRecord] = [:]
        var changed: [JID] = []
        for (message, counts) in arrivals {
          let jid = message.conversation.bare
          var record =
            try records[jid] ?? ConversationRecord.findOrCreate(jid, in: db)
          defer { records[jid] = record }
          if let known = try MessageRecord.known(message, in: record, db) {
            try MessageRecord.complete(known, with: message, in: db)
            continue
          }
          // An outgoing message that arrives was sent by another client of this account.
          let new = try MessageRecord.insert(
            message, delivery: message.direction == .outgoing ? .sent : nil,
            conversation: record.rowID, in: db)
          stored.append(new)
          if !changed.contains(jid) { changed.append(jid) }
          record.receive(new, countsUnread: counts)
        }
        let conversations = changed.compactMap { records[$0] }
        for record in conversations { try record.save(in: db) }
        return (stored, conversations.map(\.conversation))
      }
    }
  }
}

extension MessageStore: TimelineReading {
  package func latest(_ count: Int, in conversation: JID) async throws -> [Message] {
    try await page(
      TimelineQuery.latest, [conversation.bare.description, max(0, count)], newestFirst: true)
  }

  package func messages(before position: MessagePosition, _ count: Int, in conversation: JID)
    async throws -> [Message]
  {
    try await page(
      TimelineQuery.before, Self.arguments(conversation, position, count), newestFirst: true)
  }

  package func messages(after position: MessagePosition, _ count: Int, in conversation: JID)
    async throws -> [Message]
  {
    try await page(
      TimelineQuery.after, Self.arguments(conversation, position, count), newestFirst: false)
  }

  private static func arguments(_ conversation: JID, _ position: MessagePosition, _ count: Int)
    -> [any SQLConvertible & Sendable]
  {
    // A negative LIMIT would mean none.
    [
      conversation.bare.description, StoredForm.microseconds(position.sentAt), position.id.rawValue,
      max(0, count),
    ]
  }

  private func page(
    _ sql: String, _ arguments: [any SQLConvertible & Sendable], newestFirst: Bool
  ) async throws -> [Message] {
    try await database.storing { database in
      try await database.read { db in
        let messages = try db.rows(sql, arguments: arguments, map: MessageRecord.message)
        return newestFirst ? messages.reversed() : messages
      }
    }
  }
}

/// The statements of paging: each walks along `message_page`, so that it costs what it returns.
package enum TimelineQuery {
  package static let latest = """
    \(selection) ORDER BY sent_at DESC, message.id DESC LIMIT ?
    """
  package static let before = """
    \(selection) AND (sent_at, message.id) < (?, ?) ORDER BY sent_at DESC, message.id DESC LIMIT ?
    """
  package static let after = """
    \(selection) AND (sent_at, message.id) > (?, ?) ORDER BY sent_at, message.id LIMIT ?
    """

  private static let selection = """
    SELECT \(MessageRecord.columns) FROM conversation CROSS JOIN message INDEXED BY message_page
      ON message.conversation = conversation.id WHERE conversation.jid = ?
    """
}
