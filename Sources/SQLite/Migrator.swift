/// One step of a schema, for ever as it was when it was first released.
package struct Migration: Sendable {
  /// Unique and never changed: it is what the file remembers.
  package let name: String
  let apply: @Sendable (DatabaseConnection) throws -> Void

  package init(_ name: String, _ apply: @escaping @Sendable (DatabaseConnection) throws -> Void) {
    self.name = name
    self.apply = apply
  }

  /// A migration that is a script of SQL.
  package init(_ name: String, sql: String) {
    self.init(name) { try $0.runScript(sql) }
  }
}

/// Brings a database to the newest schema this program knows. Steps are only ever appended.
package struct Migrator: Sendable {
  package enum Failure: Error, Hashable, Sendable {
    /// The file was written by a newer program; the name of the first step that is unknown here.
    case newerSchema(String)
  }

  package let migrations: [Migration]

  package init(_ migrations: [Migration]) {
    precondition(
      Set(migrations.map(\.name)).count == migrations.count, "two migrations of one name")
    self.migrations = migrations
  }

  /// The number of the newest schema: how many steps there are.
  package var version: Int { migrations.count }

  /// The steps that `database` has not had. Changes nothing.
  /// - Throws: `Failure.newerSchema` when it had one that is not known here.
  func pending(in database: DatabaseConnection) throws -> ArraySlice<Migration> {
    let exists =
      try database.firstRow(
        "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'schema_migration'",
        map: { _ in true }) ?? false
    let applied =
      exists
      ? try database.rows("SELECT name FROM schema_migration ORDER BY number") { $0.string(0) } : []
    for (number, name) in applied.enumerated()
    where number >= migrations.count || migrations[number].name != name {
      throw Failure.newerSchema(name)
    }
    return migrations[applied.count...]
  }

  /// Applies what is pending, one transaction for each step: an end in the middle loses no step and repeats none.
  func migrate(_ database: DatabaseConnection) throws {
    for (index, migration) in try pending(in: database).indexed() {
      // A step may rebuild a table that others refer to; the check comes before the commit.
      try database.run("PRAGMA foreign_keys = OFF")
      try database.transaction("BEGIN IMMEDIATE") { database in
        try database.run(
          """
          CREATE TABLE IF NOT EXISTS schema_migration (
            number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT
          """)
        try migration.apply(database)
        if let table = try database.firstRow("PRAGMA foreign_key_check", map: { $0.string(0) }) {
          throw SQLiteError(
            code: 19, message: "migration \(migration.name) leaves \(table) with broken references")
        }
        try database.run("INSERT INTO schema_migration VALUES (?, ?)", index + 1, migration.name)
      }
      try database.run("PRAGMA foreign_keys = ON")
    }
  }
}

extension ArraySlice {
  fileprivate func indexed() -> Zip2Sequence<Range<Int>, ArraySlice<Element>> {
    zip(indices, self)
  }
}
