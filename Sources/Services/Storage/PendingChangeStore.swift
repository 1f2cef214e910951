import NatterCore
import SQLite

/// The changes that the user made and that the server has not accepted yet.
package struct PendingChangeStore: Sendable {
  private let database: Database
  init(_ database: Database) { self.database = database }
}

extension PendingChangeStore: PendingChangeStoring {
  package func pending<Change: PendingChange>(
    _ type: Change.Type
  ) async throws -> [StoredChange<Change>] {
    try await database.storing { database in
      try await database.read { db in
        try PendingChangeRecord.all(type, in: db).map {
          StoredChange($0.change, refusal: $0.refusal)
        }
      }
    }
  }

  package func unreadableChanges(of kinds: Set<PendingChangeKind>) async throws
    -> [UnreadableChange]
  {
    try await database.storing { database in
      try await database.read { try PendingChangeRecord.unreadable(of: kinds, in: $0) }
    }
  }

  package func keep<Change: PendingChange>(
    _ change: Change, refusal: StatusNotice?
  ) async throws {
    try await database.storing { database in
      try await database.write { try PendingChangeRecord.keep(change, refusal: refusal, in: $0) }
    }
  }

  package func settle<Change: PendingChange>(_ change: Change) async throws {
    try await database.storing { database in
      try await database.write { db in
        let stored = try PendingChangeRecord.one(Change.self, of: change.subject, in: db)
        guard let stored, stored.change == change else { return }
        try PendingChangeRecord.remove(stored.id, in: db)
      }
    }
  }

  package func drop<Change: PendingChange>(
    _ type: Change.Type, of subject: [String]
  ) async throws {
    try await database.storing { database in
      try await database.write { try PendingChangeRecord.remove(type, of: subject, in: $0) }
    }
  }
}
