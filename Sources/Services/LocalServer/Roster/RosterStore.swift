import SQLite
import XML
import XMPP

/// The rosters of all accounts. Valid within one transaction.
struct RosterStore {
  let database: DatabaseConnection

  private static let columns = "jid, name, groups, subscription, is_listed"
  /// The separator of the group names in one column; XML text cannot contain it.
  private static let separator: Character = "\u{1F}"

  /// Returns all items, including subscription requests of unlisted contacts, sorted by address.
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

  /// Stores the item, or removes it when it is not listed and has no pending request.
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

  /// Stores the content of a subscription request, because the server sends all of it at every
  /// sign-in until it is answered (RFC 6121 §3.1.3).
  func setRequest(_ content: [Element], from contact: JID, of account: String) throws {
    let text = XMLWriter().string(Element("presence", Namespace.client, [:], content))
    try database.run(
      "UPDATE roster_item SET request = ? WHERE account = ? AND jid = ?", text, account,
      contact.description)
  }

  /// Returns the contacts with unanswered subscription requests, and the content of each request.
  func requests(of account: String) throws -> [(contact: JID, content: [Element])] {
    try database.rows(
      "SELECT jid, request FROM roster_item WHERE account = ? AND subscription & 8 ORDER BY jid",
      account
    ) { (contact: Self.address($0.string(0)), content: Self.content($0.optionalString(1))) }
  }

  private static func content(_ text: String?) -> [Element] {
    // The request itself matters: if its stanza cannot be parsed, it is forwarded without content.
    text.flatMap { XMLColumn.parse($0) }?.elements ?? []
  }

  /// Returns the roster's version, which grows with each change that clients see (RFC 6121 §2.6).
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

  /// The column holds only prepared bare addresses, so this does not prepare them again.
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
