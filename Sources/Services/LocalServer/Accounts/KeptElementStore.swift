import SQLite

/// The XML elements that clients store on the server: vCards (XEP-0054), private storage (XEP-0049)
/// and archive preferences (XEP-0313 §6). Valid within one transaction.
struct KeptElementStore {
  let database: DatabaseConnection

  /// The kind of an account's vCard.
  static let card = "vcard"
  /// The kind of an account's archive preferences.
  static let archivePreferences = "archive preferences"

  /// Returns the kind of an element of private storage.
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
