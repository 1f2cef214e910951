import SQLite

/// The tokens that replace a password. Valid within one transaction.
struct TokenStore {
  enum TokenKind: String, Sendable {
    /// For signing in (RFC 6749 §1.4).
    case access
    /// For another access token (RFC 6749 §1.5).
    case refresh
  }

  /// The token with which a client signs in again (XEP-0484). It is stored in clear, because
  /// verifying a client's proof needs the secret.
  struct Returning: Hashable, Sendable {
    let secret: String
    /// Seconds since 1970.
    let expires: Double
  }

  let database: DatabaseConnection

  /// - Parameters:
  ///   - hash: the hash of the token; only the client has the token itself.
  ///   - family: the id of the sign-in from which the token comes; a family is withdrawn together.
  ///   - expires: seconds since 1970.
  func add(_ hash: [UInt8], _ kind: TokenKind, of account: String, family: String, expires: Double)
    throws
  {
    try database.run(
      "INSERT INTO token (hash, kind, account, family, expires) VALUES (?, ?, ?, ?, ?)", hash,
      kind.rawValue, account, family, expires)
  }

  /// Returns the account and family of a token, or `nil` if it is unknown or expired.
  func holder(of hash: [UInt8], _ kind: TokenKind, at time: Double) throws -> (
    account: String, family: String
  )? {
    try database.firstRow(
      "SELECT account, family FROM token WHERE hash = ? AND kind = ? AND expires > ?", hash,
      kind.rawValue, time
    ) { ($0.string(0), $0.string(1)) }
  }

  /// Withdraws a token: a refresh token together with its family, an access token alone (RFC 7009
  /// §2.1).
  func withdraw(_ hash: [UInt8]) throws {
    let family = try database.firstRow(
      "SELECT family FROM token WHERE hash = ? AND kind = 'refresh'", hash
    ) { $0.string(0) }
    if let family { try withdraw(family: family) }
    try remove(hash)
  }

  /// Withdraws all tokens of one sign-in.
  func withdraw(family: String) throws {
    // The client must not sign in again with its XEP-0484 token either. The store does not record
    // which token belongs to the family, so it removes all of the account's; its other clients can
    // still sign in with their other secrets.
    try database.run(
      """
      DELETE FROM returning_token WHERE account IN
        (SELECT account FROM token WHERE family = ?)
      """, family)
    try database.run("DELETE FROM token WHERE family = ?", family)
  }

  func remove(_ hash: [UInt8]) throws {
    try database.run("DELETE FROM token WHERE hash = ?", hash)
  }

  func removeExpired(before time: Double) throws {
    try database.run("DELETE FROM token WHERE expires <= ?", time)
    try database.run("DELETE FROM returning_token WHERE expires <= ?", time)
  }

  // MARK: - Signing in again

  func setReturning(_ token: Returning, of account: String, client: String) throws {
    try database.run(
      "INSERT OR REPLACE INTO returning_token (account, client, secret, expires) VALUES (?, ?, ?, ?)",
      account, client, token.secret, token.expires)
  }

  func returning(of account: String, client: String) throws -> Returning? {
    try database.firstRow(
      "SELECT secret, expires FROM returning_token WHERE account = ? AND client = ?", account,
      client
    ) { Returning(secret: $0.string(0), expires: $0.double(1)) }
  }

  /// Removes all tokens of an account, because a new password revokes those obtained with the old
  /// one.
  func removeAll(of account: String) throws {
    try database.run("DELETE FROM token WHERE account = ?", account)
    try database.run("DELETE FROM returning_token WHERE account = ?", account)
  }
}
