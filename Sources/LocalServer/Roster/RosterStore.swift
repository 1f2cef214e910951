import SQLite
import XMPP

/// The contact lists of all accounts. Lives inside one transaction.
struct RosterStore {
  let database: DatabaseConnection

  private static let columns = "jid, name, groups, subscription, is_listed"
  /// Between the groups' names in one column; no XML text can hold it.
  private static let separator: Character = "\u{1F}"

  /// All items, strangers' requests included, by address.
  func items(of account: String) throws -> [StoredContact] {
    try database.rows(
      "SELECT \(Self.columns) FROM roster_item WHERE account = ? ORDER BY jid", account,
      map: Self.item)
  }

  func item(_ contact: JID, of account: String) throws -> StoredContact? {
    try database.firstRow(
      "SELECT \(Self.columns) FROM roster_item WHERE account = ? AND jid = ?", account,
      contact.description, map: Self.item)
  }

  func count(of account: String) throws -> Int {
    try database.firstRow("SELECT count(*) FROM roster_item WHERE account = ?", account) {
      $0.int(0)
    } ?? 0
  }

  /// Stores the item, or removes it where nothing is left to keep: not listed and no request.
  func put(_ item: StoredContact, of account: String) throws {
    guard item.isListed || item.subscription.pendingIn else {
      return try remove(item.jid, of: account)
    }
    try database.run(
      """
      INSERT INTO roster_item (account, jid, name, groups, subscription, is_listed)
      VALUES (?, ?, ?, ?, ?, ?)
      ON CONFLICT (account, jid) DO UPDATE SET name = excluded.name, groups = excluded.groups,
        subscription = excluded.subscription, is_listed = excluded.is_listed
      """,
      account, item.jid.description, item.name,
      item.groups.joined(separator: String(Self.separator)), Self.bits(item.subscription),
      item.isListed)
  }

  func remove(_ contact: JID, of account: String) throws {
    try database.run(
      "DELETE FROM roster_item WHERE account = ? AND jid = ?", account, contact.description)
  }

  /// Keeps what a request carries: the whole of it is told at every sign-in until it is answered (RFC 6121 §3.1.3).
  func setRequest(_ content: [Element], from contact: JID, of account: String) throws {
    let text = XMLWriter().string(Element("presence", Namespace.client, [:], content))
    try database.run(
      "UPDATE roster_item SET request = ? WHERE account = ? AND jid = ?", text, account,
      contact.description)
  }

  /// Who waits for the account's answer, and what the request carries.
  func requests(of account: String) throws -> [(contact: JID, content: [Element])] {
    try database.rows(
      "SELECT jid, request FROM roster_item WHERE account = ? AND subscription & 8 ORDER BY jid",
      account
    ) { (contact: Self.address($0.string(0)), content: Self.content($0.optionalString(1))) }
  }

  private static func content(_ text: String?) -> [Element] {
    // The request itself counts: without a readable stanza it is passed on without content.
    text.flatMap { XMLColumn.parse($0) }?.elements ?? []
  }

  /// The roster's version, which grows with each change that clients see (RFC 6121 §2.6).
  func version(of account: String) throws -> Int {
    try database.firstRow("SELECT roster_version FROM account WHERE name = ?", account) {
      $0.int(0)
    } ?? 0
  }

  /// - Returns: the new version.
  func advanceVersion(of account: String) throws -> Int {
    try database.run(
      "UPDATE account SET roster_version = roster_version + 1 WHERE name = ?", account)
    return try version(of: account)
  }

  private static func item(_ row: Row) -> StoredContact {
    StoredContact(
      address(row.string(0)), name: row.optionalString(1),
      groups: row.string(2).split(separator: separator).map(String.init),
      subscription: subscription(row.int(3)), isListed: row.bool(4))
  }

  /// The column holds prepared bare addresses only, so that it need not be prepared again.
  private static func address(_ text: String) -> JID {
    guard let at = text.firstIndex(of: "@") else { return JID(local: nil, domain: text) }
    return JID(local: String(text[..<at]), domain: String(text[text.index(after: at)...]))
  }

  private static func bits(_ subscription: Subscription) -> Int {
    (subscription.to ? 1 : 0) | (subscription.from ? 2 : 0) | (subscription.pendingOut ? 4 : 0)
      | (subscription.pendingIn ? 8 : 0)
  }

  private static func subscription(_ bits: Int) -> Subscription {
    Subscription(
      to: bits & 1 != 0, from: bits & 2 != 0, pendingOut: bits & 4 != 0, pendingIn: bits & 8 != 0)
  }
}
