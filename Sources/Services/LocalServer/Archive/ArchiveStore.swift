import SQLite
import XMPP

/// One message of an archive.
struct ArchivedMessage: Hashable, Sendable {
  /// Microseconds since 1970.
  let id: Int64
  /// The whole `<message/>` as XML.
  let stanza: String
}

/// The selection of messages in an archive query (XEP-0313 §4.1).
struct ArchiveFilter: Hashable, Sendable {
  /// The bare address of the archive's owner.
  let owner: String
  /// The peer. With a full JID, only messages of that resource match.
  var peer: JID?
  /// Microseconds since 1970, both ends included.
  var start: Int64?
  var end: Int64?
  /// Ids, exclusive.
  var after: Int64?
  var before: Int64?
  /// The only ids that match; `nil` for no such condition.
  var ids: [Int64]?
  /// The terms of which a text has all; `nil` for no such condition.
  var terms: ArchiveTerms?

  init(owner: String) { self.owner = owner }

  fileprivate var condition: (sql: String, arguments: [any SQLConvertible]) {
    var sql = "owner = ?"
    var arguments: [any SQLConvertible] = [owner]
    func add(_ part: String, _ value: (any SQLConvertible)?) {
      guard let value else { return }
      sql += " AND " + part
      arguments.append(value)
    }
    add("peer = ?", peer?.bare.description)
    add("resource = ?", peer?.resource)
    add("id >= ?", start)
    add("id <= ?", end)
    add("id > ?", after)
    add("id < ?", before)
    if let ids {
      // The ids are integers, so inserting them into the statement is safe.
      sql += " AND id IN (\(ids.map(String.init).joined(separator: ",")))"
    }
    for term in terms?.inXML ?? [] { add("instr(lower(stanza), lower(?))", term) }
    return (sql, arguments)
  }
}

/// The archives of accounts and rooms. Valid within one transaction.
struct ArchiveStore {
  let database: DatabaseConnection

  /// Returns the highest id, or 0 if there are no messages.
  func lastID() throws -> Int64 {
    try database.firstRow("SELECT max(id) FROM archive") { $0.int64(0) } ?? 0
  }

  /// - Parameter id: higher than every earlier id.
  func add(_ stanza: String, _ id: Int64, of owner: String, with peer: JID) throws {
    try database.run(
      "INSERT INTO archive VALUES (?, ?, ?, ?, ?)", id, owner, peer.bare.description,
      peer.resource, stanza)
  }

  func contains(_ id: Int64, of owner: String) throws -> Bool {
    try database.firstRow("SELECT 1 FROM archive WHERE id = ? AND owner = ?", id, owner) { _ in
      true
    } ?? false
  }

  /// - Parameter newest: whether to return the newest `limit` messages instead of the oldest.
  /// - Returns: the messages, oldest first.
  func messages(_ filter: ArchiveFilter, newest: Bool, limit: Int) throws -> [ArchivedMessage] {
    try page(filter, newest: newest, limit: limit).messages
  }

  /// - Returns: as `messages`; and whether there may be more behind them because too many have the
  ///   terms elsewhere in their XML, such as in names of elements.
  func page(_ filter: ArchiveFilter, newest: Bool, limit: Int) throws -> (
    messages: [ArchivedMessage], isCut: Bool
  ) {
    let (condition, arguments) = filter.condition
    var rows = filter.terms == nil ? limit : ArchiveTerms.mostRead
    var messages: [ArchivedMessage] = []
    try database.readRows(
      """
      SELECT id, stanza FROM archive WHERE \(condition)
      ORDER BY id \(newest ? "DESC" : "ASC") LIMIT ?
      """, arguments: arguments + [rows],
      while: { row in
        rows -= 1
        let message = ArchivedMessage(id: row.int64(0), stanza: row.string(1))
        if filter.terms?.areIn(message.stanza) ?? true { messages.append(message) }
        return messages.count < limit
      })
    return (newest ? messages.reversed() : messages, filter.terms != nil && rows == 0)
  }

  /// Returns the number of messages; `nil` with terms, because counting them would read all texts
  /// (it may be left out, XEP-0059 §2.6).
  func count(_ filter: ArchiveFilter) throws -> Int? {
    guard filter.terms == nil else { return nil }
    let (condition, arguments) = filter.condition
    return try database.rows(
      "SELECT count(*) FROM archive WHERE \(condition)", arguments: arguments
    ) { $0.int(0) }.first ?? 0
  }

  /// Removes the oldest messages beyond `limit`.
  func trim(of owner: String, to limit: Int) throws {
    try database.run(
      """
      DELETE FROM archive WHERE owner = ?1 AND id <= (
        SELECT id FROM archive WHERE owner = ?1 ORDER BY id DESC LIMIT 1 OFFSET ?2)
      """, owner, limit)
  }

  func remove(of owner: String) throws {
    try database.run("DELETE FROM archive WHERE owner = ?", owner)
  }
}
