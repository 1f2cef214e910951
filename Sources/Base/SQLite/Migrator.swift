/// A step of a schema, unchanged forever after its first release.
package struct Migration: Sendable {
  /// The unique name, which never changes: files store it.
  package let name: String
  let apply: @Sendable (DatabaseConnection) throws -> Void

  /// Creates a migration that runs `apply` inside the transaction of all steps.
  package init(_ name: String, _ apply: @escaping @Sendable (DatabaseConnection) throws -> Void) {
    self.name = name
    self.apply = apply
  }

  /// Creates a migration that is an SQL script.
  package init(_ name: String, sql: String) {
    self.init(name) { try $0.runScript(sql) }
  }
}

/// Migrates a database to the newest schema that this program knows. Steps are only ever appended.
///
/// The table `schema_migration` lists the steps that were applied to a file;
/// `PRAGMA application_id` (Database File Format §1.3) says that they are steps of this list.
/// Builds from before the first release had other steps, whose names and numbers are in such a
/// table too, and set no application id; so the id alone distinguishes their files from those of
/// the baseline, and foreign files from both. SQLite writes it in the transaction of the first
/// step, so no file has the one without the other.
package struct Migrator: Sendable {
  package enum Failure: Error, Hashable, Sendable {
    /// The file was written by a newer program; carries the name of the first unknown step.
    case newerSchema(String)
    /// The file has an earlier schema and may not be changed; carries the name of the next step.
    case olderSchema(String)
    /// The file was created by a build from before the first release, whose steps are no longer
    /// known.
    case developmentSchema
    /// The file is a database of another program.
    case foreign
  }

  package let migrations: [Migration]
  /// The `PRAGMA application_id` of every file that these steps create.
  package let applicationID: Int32

  /// - Parameter applicationID: Never 0, which SQLite reports for a file without an id.
  package init(_ migrations: [Migration], applicationID: Int32) {
    precondition(
      Set(migrations.map(\.name)).count == migrations.count, "two migrations of one name")
    precondition(applicationID != 0, "no application id")
    self.migrations = migrations
    self.applicationID = applicationID
  }

  /// The number of the newest schema, which is the number of steps.
  package var version: Int { migrations.count }

  /// Returns the steps that were not applied to `database` yet: all of them for an empty one.
  /// Changes nothing.
  /// - Throws: `Failure`.
  func pending(in database: DatabaseConnection) throws -> ArraySlice<Migration> {
    let applied = try applied(in: database)
    for (number, name) in applied.enumerated()
    where number >= migrations.count || migrations[number].name != name {
      throw Failure.newerSchema(name)
    }
    return migrations[applied.count...]
  }

  /// Returns the names of the steps that were applied to `database`.
  private func applied(in database: DatabaseConnection) throws -> [String] {
    let id = try database.firstRow("PRAGMA application_id") { $0.int64(0) } ?? 0
    if id == Int64(applicationID) {
      // A view that others made may have rows without end. SQLite finds it in any case of letters.
      let isView = try database.firstRow(
        """
        SELECT 1 FROM sqlite_schema
        WHERE name = 'schema_migration' COLLATE NOCASE AND type <> 'table'
        """
      ) { _ in true }
      if isView == true { throw Failure.foreign }
      return try database.rows("SELECT name FROM schema_migration ORDER BY number") { $0.string(0) }
    }
    guard id == 0 else { throw Failure.foreign }
    let names = try database.rows("SELECT name FROM sqlite_schema") { $0.string(0) }
    // An empty file: the first step was never committed.
    if names.isEmpty { return [] }
    throw names.contains("schema_migration") ? Failure.developmentSchema : Failure.foreign
  }

  /// Applies the pending steps in one transaction. After an interruption between two steps, the
  /// next start would replace the backup, which is of the file before all of them.
  func migrate(_ database: DatabaseConnection) throws {
    let pending = try pending(in: database)
    guard !pending.isEmpty else { return }
    // A step may rebuild a table that others refer to; the check comes before the commit.
    try database.run("PRAGMA foreign_keys = OFF")
    try database.transaction("BEGIN IMMEDIATE") { database in
      for (index, migration) in pending.indexed() {
        if index == 0 {
          try database.runScript(
            """
            PRAGMA application_id = \(applicationID);
            CREATE TABLE schema_migration (
              number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;
            """)
        }
        try migration.apply(database)
        if let table = try database.firstRow("PRAGMA foreign_key_check", map: { $0.string(0) }) {
          throw SQLiteError(
            code: 19, message: "migration \(migration.name) leaves \(table) with broken references")
        }
        try database.run("INSERT INTO schema_migration VALUES (?, ?)", index + 1, migration.name)
      }
    }
    try database.run("PRAGMA foreign_keys = ON")
  }
}

extension ArraySlice {
  fileprivate func indexed() -> Zip2Sequence<Range<Int>, ArraySlice<Element>> {
    zip(indices, self)
  }
}
