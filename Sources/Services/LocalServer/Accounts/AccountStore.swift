import Crypto
import SQLite

/// The keys that verify a password without revealing it (RFC 5802 §3).
struct StoredKeys: Hashable, Sendable {
  let salt: [UInt8]
  let iterations: Int
  let storedKey: [UInt8]
  let serverKey: [UInt8]
}

/// The accounts of the server, by local part. Valid within one transaction.
struct AccountStore {
  let database: DatabaseConnection

  func exists(_ name: String) throws -> Bool {
    try database.firstRow("SELECT 1 FROM account WHERE name = ?", name) { _ in true } ?? false
  }

  func count() throws -> Int {
    try database.firstRow("SELECT count(*) FROM account") { $0.int(0) } ?? 0
  }

  func names() throws -> [String] {
    try database.rows("SELECT name FROM account ORDER BY name") { $0.string(0) }
  }

  func add(_ name: String) throws {
    try database.run("INSERT INTO account (name) VALUES (?)", name)
  }

  /// Removes the account with its roster, messages and all its other data.
  func remove(_ name: String) throws {
    try database.run("DELETE FROM account WHERE name = ?", name)
  }

  /// - Parameter mechanism: the SASL name, for example `SCRAM-SHA-256`.
  func keys(of name: String, for mechanism: String) throws -> StoredKeys? {
    try database.firstRow(
      """
      SELECT salt, iterations, stored_key, server_key FROM scram_keys
      WHERE account = ? AND mechanism = ?
      """, name, mechanism
    ) {
      StoredKeys(
        salt: $0.bytes(0), iterations: $0.int(1), storedKey: $0.bytes(2), serverKey: $0.bytes(3))
    }
  }

  func setKeys(_ keys: StoredKeys, of name: String, for mechanism: String) throws {
    try database.run(
      "INSERT OR REPLACE INTO scram_keys VALUES (?, ?, ?, ?, ?, ?)",
      name, mechanism, keys.salt, keys.iterations, keys.storedKey, keys.serverKey)
  }

  /// Records that the guide has greeted the account.
  /// - Returns: false when it was recorded before.
  func markGreeted(_ name: String) throws -> Bool {
    try database.run(
      "UPDATE account SET is_greeted = 1 WHERE name = ? AND is_greeted = 0", name)
    return database.changes > 0
  }

  /// - Parameter time: seconds since 1970 at which the account's last client went offline.
  func setLastSeen(_ time: Double, of name: String) throws {
    try database.run("UPDATE account SET last_seen = ? WHERE name = ?", time, name)
  }

  /// Returns the secret key from which challenges for unknown accounts are derived, the same in
  /// every run.
  func decoyKey() throws -> [UInt8] {
    if let key = try database.firstRow(
      "SELECT value FROM setting WHERE name = 'decoy key'", map: { $0.bytes(0) })
    {
      return key
    }
    let key = randomBytes(32)
    try database.run("INSERT INTO setting VALUES ('decoy key', ?)", key)
    return key
  }
}
