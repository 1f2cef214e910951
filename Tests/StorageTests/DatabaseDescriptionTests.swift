import Foundation
import SQLite
import Testing

@testable import Storage

/// That `Resources/docs/database.md` says what there is, table by table and column by column.
@Suite struct DatabaseDescriptionTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  private struct Column: Hashable, CustomStringConvertible {
    let table: String
    let name: String
    let type: String
    var description: String { "\(table).\(name) \(type)" }
  }

  /// A table as it is described.
  private struct Entry {
    let name: String
    let writers: Set<String>
    let columns: [Column]
    /// Columns of which nothing is said.
    let empty: [String]
  }

  private static func description() throws -> [Entry] {
    let text = try String(
      contentsOf: root.appending(path: "Resources/docs/database.md"), encoding: .utf8)
    return text.components(separatedBy: "\n## ").dropFirst().map { section in
      let lines = section.split(separator: "\n")
      let name = String(lines[0])
      let written = lines.first { $0.hasPrefix("Written by ") } ?? ""
      let cells = lines.filter { $0.hasPrefix("| `") }.map { line in
        line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      }
      return Entry(
        name: name, writers: Set(written.matches(of: /`(\w+)`/).map { String($0.output.1) }),
        columns: cells.map {
          Column(table: name, name: $0[0].replacing("`", with: ""), type: $0[1])
        }, empty: cells.filter { $0.count < 3 || $0[2].isEmpty }.map { $0[0] })
    }
  }

  /// Returns the columns of a new file, except those of SQLite itself.
  private static func schema() async throws -> [Column] {
    let account = try await AccountDatabase.inMemory()
    return try await account.database.read { db in
      let tables = try db.rows("SELECT name FROM sqlite_schema WHERE type = 'table'") {
        $0.string(0)
      }
      return try tables.filter { !$0.hasPrefix("sqlite_") && !$0.hasPrefix("message_text_") }
        .flatMap { table in
          try db.rows("SELECT name, type FROM pragma_table_xinfo(?) WHERE hidden <> 1", table) {
            let type = $0.string(1).lowercased()
            return Column(table: table, name: $0.string(0), type: type.isEmpty ? "text" : type)
          }
        }
    }
  }

  @Test func `each table and column is described, and nothing that is not there`() async throws {
    let described = try Self.description()
    let columns = described.flatMap(\.columns)
    let schema = try await Self.schema()
    #expect(schema.count > 200)
    #expect(Set(schema).subtracting(columns).map(\.description).sorted() == [], "not described")
    #expect(Set(columns).subtracting(schema).map(\.description).sorted() == [], "not there")
    #expect(columns.count == Set(columns).count, "described twice")
    #expect(described.flatMap(\.empty) == [], "nothing is said of it")
  }

  /// The types of each file that writes, and the tables that it writes to.
  private static func writers() throws -> [(file: String, types: Set<String>, tables: Set<String>)]
  {
    let folder = root.appending(path: "Sources/Services/Storage")
    return try FileManager.default.contentsOfDirectory(atPath: folder.path)
      .filter { $0.hasSuffix(".swift") && !$0.hasPrefix("Schema") }.sorted().map { name in
        let text = try String(contentsOf: folder.appending(path: name), encoding: .utf8)
        return (
          name,
          Set(
            text.matches(of: /(?m)^(?:package )?(?:struct|enum|actor|extension) (\w+)/)
              .map { String($0.output.1) }),
          Set(
            text.matches(of: /(?:INTO|UPDATE|DELETE FROM)\s+([a-z_]+)/)
              .map { String($0.output.1) })
        )
      }
  }

  @Test func `a table is written by the types that are named with it, and by nothing else`() throws
  {
    let writers = try Self.writers()
    for entry in try Self.description() {
      let its = writers.filter { $0.tables.contains(entry.name) }
      // By what makes the steps.
      guard entry.name != "schema_migration" else { continue }
      for (file, types, _) in its {
        #expect(
          !entry.writers.isDisjoint(with: types), "\(file) writes \(entry.name), and is not named")
      }
      let found = its.reduce(into: Set<String>()) { $0.formUnion($1.types) }
      #expect(!entry.writers.isEmpty)
      #expect(entry.writers.subtracting(found).sorted() == [], "do not write \(entry.name)")
    }
  }
}
