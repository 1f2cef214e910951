import FoundationEssentials
import NatterCore
import SQLite

/// Rows of `pending_change`, for stores that change them together with their own tables.
enum PendingChangeRecord {
  /// One change and its row.
  struct Row<Change: PendingChange> {
    let id: Int64
    let change: Change
    let refusal: StatusNotice?
  }

  /// Returns the column that names what is changed. The parts are separated by U+001F, which no XML
  /// contains (XML 1.0 §2.2), so no two subjects have the same name.
  static func name(of subject: [String]) -> String { subject.joined(separator: "\u{1f}") }

  /// Returns the changes of a kind, in the order of their rows. Those that cannot be read
  /// (`unreadable`) stay in the file.
  /// - Parameter owner: the first of several parts of their subjects; `nil`: any.
  static func all<Change: PendingChange>(
    _ type: Change.Type, of owner: String? = nil, in db: DatabaseConnection
  ) throws -> [Row<Change>] {
    let decoder = decoder()
    // U+0020 follows the separator: only the owner's rows of the index are read.
    let bounds = owner.map { ["\($0)\u{1f}", "\($0)\u{20}"] } ?? []
    return try db.rows(
      """
      SELECT id, payload, refusal FROM pending_change
      WHERE kind = ? \(owner == nil ? "" : "AND subject > ? AND subject < ?") ORDER BY id
      """, arguments: [Change.kind.rawValue] + bounds
    ) { row($0, decoder) }.compactMap(\.self)
  }

  /// Returns the change of a subject; `nil` if there is none that can be read.
  static func one<Change: PendingChange>(
    _ type: Change.Type, of subject: [String], in db: DatabaseConnection
  ) throws -> Row<Change>? {
    let decoder = decoder()
    return try db.firstRow(
      "SELECT id, payload, refusal FROM pending_change WHERE kind = ? AND subject = ?",
      Change.kind.rawValue, name(of: subject)
    ) { row($0, decoder) } ?? nil
  }

  /// Returns a decoder of payloads: one for all rows of a query.
  static func decoder() -> JSONDecoder {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .custom {
      ColumnCoding.date(try $0.singleValueContainer().decode(Int64.self))
    }
    return decoder
  }

  private static func row<Change: PendingChange>(
    _ row: SQLite.Row, _ decoder: JSONDecoder
  ) -> Row<Change>? {
    // A change that cannot be read does not hide the others.
    guard let change = try? decoder.decode(Change.self, from: Data(row.string(1).utf8)) else {
      return nil
    }
    return Row(
      id: row.int64(0), change: change, refusal: ColumnCoding.notice(row.optionalString(2)))
  }

  /// Stores a change instead of the one of the same subject, in the row of that one.
  static func keep<Change: PendingChange>(
    _ change: Change, refusal: StatusNotice? = nil, in db: DatabaseConnection
  ) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.dateEncodingStrategy = .custom { date, encoder in
      var container = encoder.singleValueContainer()
      try container.encode(ColumnCoding.microseconds(date))
    }
    let payload = String(decoding: try encoder.encode(change), as: UTF8.self)
    try db.run(
      """
      INSERT INTO pending_change (kind, subject, payload, state, refusal) VALUES (?, ?, ?, ?, ?)
      ON CONFLICT (kind, subject) DO UPDATE SET payload = excluded.payload, state = excluded.state,
        refusal = excluded.refusal
      """, Change.kind.rawValue, name(of: change.subject), payload,
      refusal == nil ? "waiting" : "refused", ColumnCoding.text(of: refusal))
  }

  /// Stores that the change of a row was refused; `nil`: it waits again.
  static func mark(_ id: Int64, refusal: StatusNotice?, in db: DatabaseConnection) throws {
    try db.run(
      "UPDATE pending_change SET state = ?, refusal = ? WHERE id = ?",
      refusal == nil ? "waiting" : "refused", ColumnCoding.text(of: refusal), id)
  }

  /// Removes the change of a subject, unless it cannot be read: then its owner has never had it.
  static func clear<Change: PendingChange>(
    _ type: Change.Type, of subject: [String], in db: DatabaseConnection
  ) throws {
    guard let row = try one(type, of: subject, in: db) else { return }
    try remove(row.id, in: db)
  }

  static func remove(_ id: Int64, in db: DatabaseConnection) throws {
    try db.run("DELETE FROM pending_change WHERE id = ?", id)
  }

  static func remove<Change: PendingChange>(
    _ type: Change.Type, of subject: [String], in db: DatabaseConnection
  ) throws {
    try db.run(
      "DELETE FROM pending_change WHERE kind = ? AND subject = ?", Change.kind.rawValue,
      name(of: subject))
  }
}
