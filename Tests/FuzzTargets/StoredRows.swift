import CSQLite
import FoundationEssentials
import NatterCore
import Storage
import XMPP

/// The database that rows and bytes of inputs are put into: of the newest schema, with something in
/// it.
actor StoredTemplate {
  static let shared = StoredTemplate()
  private var made: [UInt8]?

  func bytes(in folder: FuzzFolder) async throws -> [UInt8] {
    if let made { return made }
    let database = try await AccountDatabase.open(at: folder.path("template.db"))
    let account = ConnectionFuzzing.account
    let friend = JID(local: "bob", domain: "example.org")
    for number in 0..<3 {
      _ = try await database.outbox.enqueue(
        body: "words \(number)", to: friend, from: account, originID: "o\(number)",
        at: .init(timeIntervalSince1970: 1_700_000_000 + Double(number)))
    }
    try await database.bookmarks.save(
      Bookmark(room: ConnectionFuzzing.room, nick: "alice", autojoins: true))
    try await database.settings.setValue("value", for: "key")
    await database.close()
    let bytes = folder.read("template.db")
    made = bytes
    return bytes
  }
}

/// Puts rows into a database behind the program's back.
///
/// Each line is a row: the first byte chooses the table, then come the columns' values with tabs
/// between them: `~` NULL, `#12` a number, anything else a text. Columns without a value get NULL;
/// rows that violate the schema are left out.
enum StoredRows {
  static func insert(_ lines: [ArraySlice<UInt8>], into path: String) throws {
    if let problem = natter_sqlite_problem() {
      throw FuzzFinding(description: String(cString: problem))
    }
    var handle: OpaquePointer?
    defer { sqlite3_close_v2(handle) }
    guard sqlite3_open_v2(path, &handle, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK else {
      throw FuzzFinding(description: "\(path) cannot be opened")
    }
    // The triggers of the search index need it.
    _ = natter_sqlite_add_tokenizer(handle)
    sqlite3_exec(
      handle,
      "PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON; PRAGMA synchronous = OFF",
      nil, nil, nil)
    let tables = try tables(of: handle)
    for line in lines {
      guard let choice = line.first else { continue }
      let table = tables[Int(choice &- UInt8(ascii: "0")) % tables.count]
      let values = line.dropFirst().split(
        separator: UInt8(ascii: "\t"), omittingEmptySubsequences: false)
      insert(values, into: table.name, columns: table.columns, of: handle)
    }
  }

  private static func insert(
    _ values: [ArraySlice<UInt8>], into table: String, columns: Int, of handle: OpaquePointer?
  ) {
    let marks = Array(repeating: "?", count: columns).joined(separator: ",")
    var statement: OpaquePointer?
    let sql = "INSERT OR REPLACE INTO \"\(table)\" VALUES (\(marks))"
    guard sqlite3_prepare_v3(handle, sql, -1, 0, &statement, nil) == SQLITE_OK else { return }
    defer { sqlite3_finalize(statement) }
    for (index, value) in values.prefix(columns).enumerated() {
      let text = String(decoding: value, as: UTF8.self)
      if text == "~" { continue }
      if text.hasPrefix("#"), let number = Int64(text.dropFirst()) {
        sqlite3_bind_int64(statement, Int32(index + 1), number)
      } else {
        _ = text.withCString {
          natter_sqlite_bind_text(
            statement, Int32(index + 1), $0, sqlite3_uint64(text.utf8.count))
        }
      }
    }
    _ = sqlite3_step(statement)
  }

  /// The tables that the program makes, and how many columns each has.
  private static func tables(of handle: OpaquePointer?) throws -> [(name: String, columns: Int)] {
    var tables: [(name: String, columns: Int)] = []
    var statement: OpaquePointer?
    let sql = """
      SELECT name, (SELECT count(*) FROM pragma_table_info(name)) FROM sqlite_schema
      WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%' AND name NOT LIKE 'sqlite%'
        AND name <> 'schema_migration'
      ORDER BY name
      """
    guard sqlite3_prepare_v3(handle, sql, -1, 0, &statement, nil) == SQLITE_OK else {
      throw FuzzFinding(description: String(cString: sqlite3_errmsg(handle)))
    }
    defer { sqlite3_finalize(statement) }
    while sqlite3_step(statement) == SQLITE_ROW {
      guard let name = sqlite3_column_text(statement, 0) else { continue }
      tables.append((String(cString: name), Int(sqlite3_column_int64(statement, 1))))
    }
    return tables
  }
}
