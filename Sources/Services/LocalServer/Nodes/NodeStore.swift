import SQLite
import XML
import XMPP

/// An item of a node.
struct NodeItem: Hashable, Sendable {
  let id: String
  let publisher: String
  /// The payload as XML; empty without a payload.
  let payload: String

  /// Returns the `<item/>` in the namespace of requests or of events.
  func element(_ namespace: String) -> Element {
    var item = Element("item", namespace, ["id": id])
    if namespace == Names.nodeEvents { item["publisher"] = publisher }
    if let payload = XMLColumn.parse(payload) { item.append(payload) }
    return item
  }
}

/// The nodes of accounts and their items (XEP-0163). Valid within one transaction.
struct NodeStore {
  let database: DatabaseConnection

  /// Returns the names of an account's nodes, sorted.
  func names(of account: String) throws -> [String] {
    try database.rows("SELECT name FROM node WHERE account = ? ORDER BY name", account) {
      $0.string(0)
    }
  }

  /// Returns the settings of a node, or `nil` when it does not exist.
  func settings(of node: String, _ account: String) throws -> NodeSettings? {
    try database.firstRow(
      "SELECT settings FROM node WHERE account = ? AND name = ?", account, node
    ) { row in
      var settings = NodeSettings()
      // Applying the form cannot fail: it was made from valid settings.
      if let form = XMLColumn.parse(row.string(0)).flatMap({ XEP0004DataForm($0) }) {
        _ = settings.apply(form)
      }
      return settings
    }
  }

  /// Adds a node, or changes its settings.
  func put(_ settings: NodeSettings, of node: String, _ account: String) throws {
    try database.run(
      """
      INSERT INTO node VALUES (?, ?, ?)
      ON CONFLICT (account, name) DO UPDATE SET settings = excluded.settings
      """, account, node, XMLWriter().string(settings.form(.submit).element))
    try trim(node, account, to: settings.maximum)
  }

  func remove(_ node: String, _ account: String) throws {
    try database.run("DELETE FROM node WHERE account = ? AND name = ?", account, node)
  }

  // MARK: Items

  /// Adds an item as the newest, replacing one with the same id.
  func add(_ item: NodeItem, to node: String, _ account: String, limit: Int) throws {
    try database.run(
      """
      INSERT OR REPLACE INTO node_item (account, node, id, publisher, payload)
      VALUES (?, ?, ?, ?, ?)
      """, account, node, item.id, item.publisher, item.payload)
    try trim(node, account, to: limit)
  }

  private func trim(_ node: String, _ account: String, to limit: Int) throws {
    try database.run(
      """
      DELETE FROM node_item WHERE account = ?1 AND node = ?2 AND number <= (
        SELECT number FROM node_item WHERE account = ?1 AND node = ?2
        ORDER BY number DESC LIMIT 1 OFFSET ?3)
      """, account, node, limit)
  }

  /// Returns the newest items, newest first.
  func items(of node: String, _ account: String, limit: Int) throws -> [NodeItem] {
    try database.rows(
      """
      SELECT id, publisher, payload FROM node_item WHERE account = ? AND node = ?
      ORDER BY number DESC LIMIT ?
      """, account, node, limit
    ) { NodeItem(id: $0.string(0), publisher: $0.string(1), payload: $0.string(2)) }
  }

  func item(_ id: String, of node: String, _ account: String) throws -> NodeItem? {
    try database.firstRow(
      "SELECT id, publisher, payload FROM node_item WHERE account = ? AND node = ? AND id = ?",
      account, node, id
    ) { NodeItem(id: $0.string(0), publisher: $0.string(1), payload: $0.string(2)) }
  }

  /// - Returns: whether the item existed.
  func retract(_ id: String, of node: String, _ account: String) throws -> Bool {
    try database.run(
      "DELETE FROM node_item WHERE account = ? AND node = ? AND id = ?", account, node, id)
    return database.changes > 0
  }

  func purge(_ node: String, _ account: String) throws {
    try database.run("DELETE FROM node_item WHERE account = ? AND node = ?", account, node)
  }

  // MARK: Members

  func members(of node: String, _ account: String) throws -> [String] {
    try database.rows(
      "SELECT jid FROM node_member WHERE account = ? AND node = ? ORDER BY jid", account, node
    ) { $0.string(0) }
  }

  func setMember(_ jid: JID, _ isMember: Bool, of node: String, _ account: String) throws {
    if isMember {
      try database.run(
        "INSERT OR IGNORE INTO node_member VALUES (?, ?, ?)", account, node, jid.description)
    } else {
      try database.run(
        "DELETE FROM node_member WHERE account = ? AND node = ? AND jid = ?", account, node,
        jid.description)
    }
  }
}
