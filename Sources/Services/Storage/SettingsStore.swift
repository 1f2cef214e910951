import NatterCore
import SQLite

/// The settings of one account that are changed while the program runs.
package struct SettingsStore: PreferenceStoring {
  private let database: Database
  init(_ database: Database) { self.database = database }

  /// - Throws: `StorageError`.
  package func value(for key: String) async throws -> String? {
    try await database.storing { database in
      try await database.read { db in
        try db.firstRow("SELECT value FROM setting WHERE key = ?", key) { $0.string(0) }
      }
    }
  }

  /// Returns all settings by key.
  /// - Throws: `StorageError`.
  package func values() async throws -> [String: String] {
    try await database.storing { database in
      try await database.read { db in
        Dictionary(
          try db.rows("SELECT key, value FROM setting") { ($0.string(0), $0.string(1)) },
          uniquingKeysWith: { _, last in last })
      }
    }
  }

  /// Sets `key`; `nil` removes it.
  /// - Throws: `StorageError`.
  package func setValue(_ value: String?, for key: String) async throws {
    try await database.storing { database in
      try await database.write { db in
        if let value {
          try db.run("INSERT OR REPLACE INTO setting VALUES (?, ?)", key, value)
        } else {
          try db.run("DELETE FROM setting WHERE key = ?", key)
        }
      }
    }
  }
}
