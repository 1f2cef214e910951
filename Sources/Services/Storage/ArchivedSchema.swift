import SQLite

/// The schema that this program makes, for the database of an archive.
///
/// An archive that others made may have anything in it: its triggers and views would go on changing
/// what is stored and shown, and a table that is missing would be missed only later.
struct ArchivedSchema: Sendable {
  /// The tables, their columns and the indexes.
  private let parts: Set<String>
  /// The statements that create the triggers.
  private let triggers: [String]

  /// - Parameter migrator: makes the schema; that of an earlier version has fewer steps.
  /// - Throws: `SQLiteError`.
  init(_ migrator: Migrator = Schema.migrator) async throws {
    let fresh = try await Database.open(.memory, migrator: migrator)
    (parts, triggers) = try await fresh.closing {
      try await fresh.read { db in
        (
          try Self.parts(of: db),
          try db.rows("SELECT sql FROM sqlite_schema WHERE type = 'trigger' ORDER BY rowid") {
            $0.string(0)
          }
        )
      }
    }
  }

  private static func parts(of db: DatabaseConnection) throws -> Set<String> {
    Set(
      try db.rows(
        """
        SELECT type || ' ' || name || ' of ' || tbl_name FROM sqlite_schema
        WHERE type <> 'trigger' AND name NOT GLOB 'sqlite_*'
        UNION ALL
        SELECT 'column ' || c.name || ' of ' || s.name || ', ' || c.hidden
        FROM sqlite_schema AS s, pragma_table_xinfo(s.name) AS c
        WHERE s.type = 'table' AND s.name NOT GLOB 'sqlite_*'
        """
      ) { $0.string(0) })
  }

  /// Replaces the triggers of a database of this schema with those of this program. Their text is
  /// not compared: its comments may be others in an earlier version.
  /// - Returns: `false` if anything else is there than this program makes.
  func apply(to db: DatabaseConnection) throws -> Bool {
    let names = try db.rows("SELECT name FROM sqlite_schema WHERE type = 'trigger'") {
      $0.string(0)
    }
    for name in names {
      // By scalars: a combining mark forms one character with the quotation mark before it.
      let quoted = name.unicodeScalars.split(separator: "\"", omittingEmptySubsequences: false)
        .map { String($0) }.joined(separator: "\"\"")
      try db.run("DROP TRIGGER \"\(quoted)\"")
    }
    guard try Self.parts(of: db) == parts else { return false }
    for trigger in triggers { try db.run(trigger) }
    return true
  }
}
