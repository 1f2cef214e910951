import SQLite
import XMPP

/// The block lists of accounts (XEP-0191). Valid within one transaction.
struct BlockStore {
  let database: DatabaseConnection

  func addresses(of account: String) throws -> Set<JID> {
    let texts = try database.rows("SELECT jid FROM blocked WHERE account = ?", account) {
      $0.string(0)
    }
    return Set(texts.compactMap { Address.parse($0) })
  }

  func add(_ jid: JID, of account: String) throws {
    try database.run("INSERT OR IGNORE INTO blocked VALUES (?, ?)", account, jid.description)
  }

  func remove(_ jid: JID, of account: String) throws {
    try database.run(
      "DELETE FROM blocked WHERE account = ? AND jid = ?", account, jid.description)
  }
}
