import FoundationEssentials
import Glibc
import SQLite
import XMPP

/// The SQLite database of another program, read without changing it, its lock or its folder.
///
/// Without a log beside it, the file is read as it is. Otherwise it is in use, or was not closed:
/// file and log are copied into a private folder first, which is removed at once, so that a
/// program that ends leaves nothing behind. Nothing in the file is trusted: columns are found by
/// their names, a damaged file ends the reading, and views are not tables.
package final class ForeignDatabase {
  /// The number of times that a database which changes meanwhile is copied again.
  private static let repetitions = 10
  private static let companions = ["-wal", "-journal"]

  /// The state of the database's files, by which a change shows.
  private struct FileState: Equatable {
    struct Facts: Equatable { let inode, size, seconds, nanoseconds: Int }
    var files: [Facts?] = []

    init(of path: String) {
      files = ([""] + companions).map { suffix in
        var facts = stat()
        guard stat(path + suffix, &facts) == 0 else { return nil }
        return Facts(
          inode: Int(facts.st_ino), size: Int(facts.st_size),
          seconds: facts.st_mtim.tv_sec, nanoseconds: facts.st_mtim.tv_nsec)
      }
    }

    /// Indicates whether there is a log or a journal that has something.
    var hasLog: Bool { files.dropFirst().contains { ($0?.size ?? 0) > 0 } }
  }

  package let path: String
  private let connection: DatabaseConnection
  /// The state of the file when it was opened itself; `nil`: a copy is read.
  private let state: FileState?

  /// - Throws: `ImportFailure`: `.unreadable`; `.damaged` for a file that is no database.
  package init(path: String) throws(ImportFailure) {
    self.path = path
    guard Self.isDatabase(path) else {
      guard access(path, R_OK) == 0 else { throw .unreadable(path: path, errno: errno) }
      throw .damaged(path: path)
    }
    let state = FileState(of: path)
    do throws(SQLiteError) {
      guard state.hasLog else {
        connection = try DatabaseConnection.openForeign(path, isCopy: false)
        self.state = state
        return
      }
    } catch {
      throw Self.failure(error, path)
    }
    connection = try Self.copied(path)
    self.state = nil
  }

  /// Opens a database without its log.
  private init(withoutLog path: String) throws {
    self.path = path
    guard Self.isDatabase(path) else { throw ImportFailure.damaged(path: path) }
    connection = try DatabaseConnection.openForeign(path, isCopy: false)
    state = nil
  }

  /// Returns whether a file is a database with the tables of a program; `false` if it cannot be
  /// read.
  static func recognizes(_ path: String, _ hasTables: (ForeignDatabase) throws -> Bool) -> Bool {
    // The file alone mostly has the tables. So a log is rarely copied for this, and the reading
    // reports one that cannot be copied.
    if let file = try? ForeignDatabase(withoutLog: path), (try? hasTables(file)) == true {
      return true
    }
    guard FileState(of: path).hasLog, let whole = try? ForeignDatabase(path: path) else {
      return false
    }
    return (try? hasTables(whole)) == true
  }

  /// Returns whether a file begins as a database does (Database File Format, 1.3.1).
  package static func isDatabase(_ path: String) -> Bool {
    guard let file = try? HistoryFile(path), let start = try? file.bytes(at: 0, count: 16) else {
      return false
    }
    return start == Array("SQLite format 3\0".utf8)
  }

  /// Returns whether there is a table of this name, whatever its case.
  func hasTable(_ table: String) throws -> Bool {
    var isThere = false
    try forEachRow(
      "SELECT 1 FROM sqlite_master WHERE type = 'table' AND lower(name) = lower(?)",
      arguments: [table]
    ) { _ in isThere = true }
    return isThere
  }

  /// The number that the program stored for itself (`PRAGMA user_version`).
  package var userVersion: Int {
    get throws {
      var version = 0
      try forEachRow("PRAGMA user_version") { version = $0.int(0) }
      return version
    }
  }

  /// Returns the columns of a table in lower case, as SQLite compares them: only of ASCII letters.
  /// Empty if there is no table of this name, whatever its case. Computed columns are left out.
  package func columns(of table: String) throws -> Set<String> {
    var isTable = false
    try forEachRow(
      """
      SELECT 1 FROM sqlite_master
      WHERE type = 'table' AND lower(name) = lower(?) AND rootpage > 0
      """, arguments: [table]
    ) { _ in isTable = true }
    guard isTable else { return [] }
    var names: Set<String> = []
    try forEachRow("SELECT lower(name) FROM pragma_table_info(?)", arguments: [table]) {
      names.insert($0.string(0))
    }
    return names
  }

  /// Calls `body` with each row of a table, in the order of row ids. A table that is missing, as in
  /// some versions of a program, has none.
  /// - Parameters:
  ///   - columns: those of the row, in this order and in lower case; a column that the table lacks
  ///     is NULL.
  ///   - skip: called with the id of a row that is too long to be read.
  /// - Throws: `ImportFailure`, and what `body` and `skip` throw.
  package func scan(
    _ table: String, _ columns: [String], tooLong skip: (Int64) throws -> Void = { _ in },
    _ body: (ForeignRow) throws -> Void
  ) throws {
    let known = try self.columns(of: table)
    guard !known.isEmpty else { return }
    let list = columns.map { known.contains($0) ? "\"\($0)\"" : "NULL" }
    let rows = "FROM \"\(table)\" WHERE rowid >= ? ORDER BY rowid"
    var start: Int64? = .min
    while let next = start {
      start = nil
      var last: Int64?
      let isWhole = try isReadable(
        "SELECT \((["rowid"] + list).joined(separator: ", ")) \(rows)", [next]
      ) { row in
        // In a damaged file, pages may form a circle.
        let id = row.int64(0)
        if id < next || last.map({ id <= $0 }) == true {
          throw ImportFailure.damaged(path: path)
        }
        last = id
        try body(ForeignRow(id: id, row: row))
      }
      guard !isWhole, last != .max else { return }
      // The row after the last one is too long. Its id is not.
      try forEachRow("SELECT rowid \(rows) LIMIT 1", arguments: [last.map { $0 + 1 } ?? next]) {
        let id = $0.int64(0)
        guard id >= next else { throw ImportFailure.damaged(path: path) }
        try skip(id)
        start = id == .max ? nil : id + 1
      }
    }
  }

  /// Calls `body` with each row of a query.
  /// - Returns: `false` if a row is too long to be read, and with that the query ended.
  private func isReadable(
    _ sql: String, _ arguments: [any SQLConvertible], _ body: (Row) throws -> Void
  ) throws -> Bool {
    var isTooLong = false
    try forEachRow(sql, arguments: arguments, isTooLong: { isTooLong = true }, body)
    return !isTooLong
  }

  /// Returns the addresses in a column, by their row ids.
  func addresses(in table: String, _ column: String) throws -> [Int: JID] {
    var addresses: [Int: JID] = [:]
    try scan(table, [column]) { row in
      if let jid = row.address(0) { addresses[Int(row.id)] = jid }
    }
    return addresses
  }

  /// Calls `body` with each row of a query.
  /// - Parameter isTooLong: called when a row is too long to be read, which ends the query; `nil`:
  ///   that is an error.
  /// - Throws: `ImportFailure`, and what `body` throws.
  package func forEachRow(
    _ sql: String, arguments: [any SQLConvertible] = [], isTooLong: (() -> Void)? = nil,
    _ body: (Row) throws -> Void
  ) throws {
    // An error of `body` may be one of SQLite, too: that of the database that is written.
    var failure: (any Error)?
    do {
      try connection.forEachRow(sql, arguments: arguments) { row in
        do { try body(row) } catch {
          failure = error
          throw error
        }
      }
    } catch {
      if let failure { throw failure }
      guard let error = error as? SQLiteError else { throw error }
      if error.isTooLong, let isTooLong { return isTooLong() }
      throw Self.failure(error, path)
    }
  }

  /// Checks that nobody wrote the database while it was read: what was read may be a mixture.
  /// - Throws: `ImportFailure.unreadable`.
  package func requireUnchanged() throws(ImportFailure) {
    guard let state, state != FileState(of: path) else { return }
    throw Self.changing(path)
  }

  private static func changing(_ path: String) -> ImportFailure {
    .unreadable(path: path, reason: "the file changes while it is read")
  }

  private static func failure(_ error: SQLiteError, _ path: String) -> ImportFailure {
    error.kind == .damaged ? .damaged(path: path) : .unreadable(path: path, reason: error.text)
  }

  // MARK: Copies

  private static func copied(_ path: String) throws(ImportFailure) -> DatabaseConnection {
    let parent = FileManager.default.temporaryDirectory.path
    var template = Array((parent + "/natter-import-XXXXXX").utf8CString)
    guard mkdtemp(&template) != nil else { throw .unreadable(path: parent, errno: errno) }
    let folder = String(
      decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let copy = folder + "/copy.db"
    defer {
      for file in DatabaseFiles.paths(of: copy) { unlink(file) }
      rmdir(folder)
    }
    for _ in 0..<repetitions {
      let before = FileState(of: path)
      do throws(ImportFailure) {
        for suffix in [""] + companions { try Self.copy(path + suffix, to: copy + suffix) }
      } catch {
        // A log may disappear while it is copied.
        guard before != FileState(of: path) else { throw error }
      }
      guard before == FileState(of: path) else { continue }
      do throws(SQLiteError) { return try DatabaseConnection.openForeign(copy, isCopy: true) } catch
      {
        throw failure(error, path)
      }
    }
    throw changing(path)
  }

  /// `SEEK_DATA` of lseek(2), which Glibc has for GNU programs only.
  private static let seekData: CInt = 3

  /// Copies a file; without it, removes an earlier copy.
  private static func copy(_ path: String, to target: String) throws(ImportFailure) {
    unlink(target)
    guard access(path, F_OK) == 0 else { return }
    let file = try HistoryFile(path)
    let descriptor = open(target, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .unreadable(path: target, errno: errno) }
    defer { close(descriptor) }
    var offset = 0
    while true {
      // A file may have holes that are larger than the disk: they stay holes.
      let data = lseek(file.descriptor, off_t(offset), Self.seekData)
      if data < 0, errno == ENXIO { break }
      offset = max(offset, Int(data))
      let piece = try file.bytes(at: offset, count: 1 << 20)
      guard !piece.isEmpty else { break }
      var written = 0
      while written < piece.count {
        let count = piece.withUnsafeBytes {
          pwrite(
            descriptor, $0.baseAddress.map { $0 + written }, piece.count - written,
            off_t(offset + written))
        }
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { throw .unreadable(path: target, errno: errno) }
        written += count
      }
      offset += piece.count
    }
    guard ftruncate(descriptor, off_t(max(offset, file.byteCount))) == 0 else {
      throw .unreadable(path: target, errno: errno)
    }
  }
}

/// A row of `ForeignDatabase.scan`, valid only inside the closure that receives it. Columns are
/// counted from 0, without the row id.
package struct ForeignRow {
  package let id: Int64
  let row: Row

  package func isNull(_ column: Int) -> Bool { row.isNull(column + 1) }

  /// Returns an integer; `nil` for NULL, and for anything that is none, which SQLite would read as
  /// 0.
  package func int(_ column: Int) -> Int? {
    switch row.value(column + 1) {
    case .integer(let value): Int(value)
    case .real(let value): Int(exactly: value)
    case .text(let text): Int(text)
    case .blob, .null: nil
    }
  }

  /// Returns a number; `nil` for NULL.
  package func double(_ column: Int) -> Double? {
    isNull(column) ? nil : row.double(column + 1)
  }

  /// Returns a text; `nil` for NULL, an empty text and one that is longer than `limit` bytes.
  package func text(_ column: Int, limit: Int = HistoryText.idLimit) -> String? {
    let count = row.byteCount(column + 1)
    return count > 0 && count <= limit ? row.string(column + 1) : nil
  }

  /// Returns the nick of an occupant; `nil` for NULL and an empty text. One that no occupant can
  /// have is returned, too: it is not the same as none (`ImportedMessage.hasReadableNick`).
  func nick(_ column: Int) -> String? {
    let nick = row.string(column + 1)
    return nick.isEmpty ? nil : String(nick.unicodeScalars.prefix(HistoryText.nickLimit))
  }

  /// Returns an address; `nil` for anything else.
  func address(_ column: Int) -> JID? {
    text(column, limit: 4096).flatMap { JID(parsing: $0) }
  }

  /// Returns the account that a key names: `.some(nil)` for NULL, where the history does not say
  /// which; `nil` for an account that cannot be read, so that it is not taken for the user's.
  func account(_ column: Int, of accounts: [Int: JID]) -> JID?? {
    guard !isNull(column) else { return .some(nil) }
    guard let key = int(column) else { return nil }
    return accounts[key].map { .some($0.bare) }
  }

  /// Returns whether a text is longer than a body may be.
  package func isTooLong(_ column: Int) -> Bool {
    row.byteCount(column + 1) > HistoryText.limit
  }

  /// Returns a body; `nil` if there is none, or an empty one.
  package func body(_ column: Int) -> String? {
    let text = text(column, limit: HistoryText.limit).flatMap { HistoryText.body($0) }
    return text.flatMap { $0.isEmpty ? nil : $0 }
  }
}
