import SQLite

/// XML that clients leave on the server: vCards (XEP-0054) and private storage (XEP-0049). Lives
/// inside one transaction.
struct KeptElementStore {
  let database: DatabaseConnection

  /// The kind under which an account's vCard is kept.
  static let card = "vcard"
  /// The kind under which an account's rules for its archive are kept.
  static let archivePreferences = "archive preferences"

  /// The kind under which private storage keeps an element.
  static func privateKind(_ name: String, _ namespace: String) -> String {
    "private {\(namespace)}\(name)"
  }

  func element(_ kind: String, of account: String) throws -> String? {
    try database.firstRow(
      "SELECT element FROM kept_element WHERE account = ? AND kind = ?", account, kind
    ) { $0.string(0) }
  }

  func put(_ element: String, _ kind: String, of account: String) throws {
    try database.run(
      "INSERT OR REPLACE INTO kept_element VALUES (?, ?, ?)", account, kind, element)
  }
}
