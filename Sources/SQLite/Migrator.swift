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
///
/// The table `schema_migration` says which steps a file has had; `PRAGMA application_id` (Database
/// File Format §1.3) says that they are steps of this list. Builds from before the first release had
/// other steps, whose names and numbers are in such a table too, and set no application id; so the
/// id alone tells their files from those of the baseline, and foreign files from both. SQLite writes
/// it in the transaction of the first step, so no file has the one without the other.
package struct Migrator: Sendable {
  package enum Failure: Error, Hashable, Sendable {
    /// The file was written by a newer program; the name of the first step that is unknown here.
    case newerSchema(String)
    /// The file was made by a build from before the first release, whose steps are no longer known.
    case developmentSchema
    /// The file is a database of another program.
    case foreign
  }

  package let migrations: [Migration]
  /// `PRAGMA application_id` of every file that these steps make.
  package let applicationID: Int32

  /// - Parameter applicationID: never 0, which SQLite has for a file without one.
  package init(_ migrations: [Migration], applicationID: Int32) {
    precondition(
      Set(migrations.map(\.name)).count == migrations.count, "two migrations of one name")
    precondition(applicationID != 0, "no application id")
    self.migrations = migrations
    self.applicationID = applicationID
  }

  /// The number of the newest schema: how many steps there are.
  package var version: Int { migrations.count }

  /// The steps that `database` has not had: all of them for an empty one. Changes nothing.
  /// - Throws: `Failure`.
  func pending(in database: DatabaseConnection) throws -> ArraySlice<Migration> {
    let applied = try applied(in: database)
    for (number, name) in applied.enumerated()
    where number >= migrations.count || migrations[number].name != name {
      throw Failure.newerSchema(name)
    }
    return migrations[applied.count...]
  }

  /// The names of the steps that `database` has had.
  private func applied(in database: DatabaseConnection) throws -> [String] {
    let id = try database.firstRow("PRAGMA application_id") { $0.int64(0) } ?? 0
    if id == Int64(applicationID) {
      return try database.rows("SELECT name FROM schema_migration ORDER BY number") { $0.string(0) }
    }
    guard id == 0 else { throw Failure.foreign }
    let names = try database.rows("SELECT name FROM sqlite_schema") { $0.string(0) }
    // Nothing was stored in it, as after an end before the first step was committed.
    if names.isEmpty { return [] }
    throw names.contains("schema_migration") ? Failure.developmentSchema : Failure.foreign
  }

  /// Applies what is pending, one transaction for each step: an end in the middle loses no step and repeats none.
  func migrate(_ database: DatabaseConnection) throws {
    for (index, migration) in try pending(in: database).indexed() {
      // A step may rebuild a table that others refer to; the check comes before the commit.
      try database.run("PRAGMA foreign_keys = OFF")
      try database.transaction("BEGIN IMMEDIATE") { database in
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
      try database.run("PRAGMA foreign_keys = ON")
    }
  }
}

extension ArraySlice {
  fileprivate func indexed() -> Zip2Sequence<Range<Int>, ArraySlice<Element>> {
    zip(indices, self)
  }
}
