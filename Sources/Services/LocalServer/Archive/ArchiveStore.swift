import SQLite
import XML
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
    return (sql, arguments)
  }

  /// The condition that the XML of a message has the terms somewhere.
  fileprivate var search: (sql: String, arguments: [any SQLConvertible]) {
    let terms = terms?.inXML ?? []
    guard !terms.isEmpty else { return ("1", []) }
    return (terms.map { _ in "instr(lower(stanza), ?)" }.joined(separator: " AND "), terms)
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

  /// The messages of a page.
  struct Page {
    /// The messages, oldest first.
    var messages: [ArchivedMessage]
    /// The id of the last message that was searched, where the search ended before all of them
    /// were; `nil`: it did not.
    var searchedTo: Int64?

    /// Returns the ids of the first and the last of the messages that are sent (XEP-0059 §2.2).
    /// Without any, the next page begins where the search ended.
    func edges(of sent: [ArchivedMessage]) -> [Element] {
      guard let first = sent.first?.id ?? searchedTo, let last = sent.last?.id ?? searchedTo else {
        return []
      }
      return [("first", first), ("last", last)].map {
        Element($0, Namespace.resultSets, text: String($1))
      }
    }
  }

  /// - Parameter searched: with terms, the largest number of messages that are searched: a page
  ///   ends there, wherever the terms are (XEP-0059 lets it have fewer results than requested).
  func page(
    _ filter: ArchiveFilter, newest: Bool, limit: Int, searching searched: Int = 1_000_000
  ) throws -> Page {
    let (condition, arguments) = filter.condition
    let search = filter.search
    var rest = filter.terms == nil ? limit : searched
    var read = filter.terms == nil ? limit : ArchiveTerms.mostRead
    var last: Int64?
    var page = Page(messages: [])
    try database.readRows(
      """
      SELECT id, CASE WHEN \(search.sql) THEN stanza END FROM archive WHERE \(condition)
      ORDER BY id \(newest ? "DESC" : "ASC") LIMIT ?
      """,
      // One more than is searched, to know whether there is one.
      arguments: search.arguments + arguments + [rest + 1],
      while: { row in
        guard rest > 0, read > 0 else {
          page.searchedTo = last
          return false
        }
        rest -= 1
        last = row.int64(0)
        guard let stanza = row.optionalString(1) else { return true }
        read -= 1
        let message = ArchivedMessage(id: row.int64(0), stanza: stanza)
        if filter.terms?.areIn(message.stanza) ?? true { page.messages.append(message) }
        return page.messages.count < limit
      })
    if newest { page.messages.reverse() }
    return page
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
