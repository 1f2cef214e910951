import FoundationEssentials
import NatterCore
import SQLite
import XML
import XMPP

/// The list of commands of an account, and the list of conversations as sync fills it.
package struct AccountEventStore: Sendable {
  private let database: Database
  init(_ database: Database) { self.database = database }
}

extension AccountEventStore: CommandStoring {
  package func add(_ commands: [AccountEvent], at date: Date) async throws -> [AccountEvent] {
    guard !commands.isEmpty else { return [] }
    let time = ColumnCoding.microseconds(date)
    let writer = XMLWriter()
    let rows = commands.map { (command: $0, stanza: writer.string($0.stanza)) }
    return try await database.storing { database in
      try await database.write { db in
        var new: [AccountEvent] = []
        for (command, stanza) in rows {
          try db.run(
            """
            INSERT INTO command (id, kind, sender, stanza, received_at) VALUES (?, ?, ?, ?, ?)
            ON CONFLICT (id) DO NOTHING
            """, command.id, command.kind.rawValue, command.sender?.description, stanza, time)
          if db.changes > 0 { new.append(command) }
        }
        return new
      }
    }
  }

  package func pendingCommands() async throws -> [AccountEvent] {
    let rows = try await database.storing { database in
      try await database.read { db in
        try db.rows(
          "SELECT id, kind, sender, stanza FROM command WHERE is_settled = 0 ORDER BY row"
        ) { ($0.string(0), $0.string(1), $0.optionalString(2), $0.string(3)) }
      }
    }
    return rows.compactMap { id, kind, sender, text in
      guard let stanza = ColumnCoding.element(text) else { return nil }
      return AccountEvent(
        id: id, isKept: true, kind: .init(rawValue: kind), sender: sender.map(ColumnCoding.jid),
        stanza: stanza)
    }
  }

  package func settle(_ ids: [AccountEvent.ID]) async throws {
    guard !ids.isEmpty else { return }
    try await database.storing { database in
      try await database.write { db in
        for id in ids {
          try db.run("UPDATE command SET is_settled = 1, stanza = '' WHERE id = ?", id)
        }
      }
    }
  }
}

extension AccountEventStore: ConversationListStoring {
  package func addConversations(_ listed: [ListedConversation]) async throws -> [Conversation] {
    try await database.storing { database in
      try await database.write { db in
        var new: [Conversation] = []
        for entry in listed where entry.opens {
          guard try ConversationRecord.find(entry.jid, in: db) == nil else { continue }
          new.append(
            try ConversationRecord.findOrCreate(entry.jid, kind: entry.kind, in: db).conversation)
        }
        return new
      }
    }
  }
}
