import SQLite

/// Tokens that stand for a password. Lives inside one transaction.
struct TokenStore {
  enum Kind: String, Sendable {
    /// For signing in (RFC 6749 §1.4).
    case access
    /// For another access token (RFC 6749 §1.5).
    case refresh
  }

  /// What a client comes back with (XEP-0484): its own words are needed to check who has it.
  struct Returning: Hashable, Sendable {
    let secret: String
    /// Seconds since 1970.
    let expires: Double
  }

  let database: DatabaseConnection

  /// - Parameters:
  ///   - hash: of the token; the token itself is the client's alone.
  ///   - family: what was made of one sign-in, and is withdrawn together.
  ///   - expires: seconds since 1970.
  func add(_ hash: [UInt8], _ kind: Kind, of account: String, family: String, expires: Double)
    throws
  {
    try database.run(
      "INSERT INTO token (hash, kind, account, family, expires) VALUES (?, ?, ?, ?, ?)", hash,
      kind.rawValue, account, family, expires)
  }

  /// Whose token it is, while it is good.
  func holder(of hash: [UInt8], _ kind: Kind, at time: Double) throws -> (
    account: String, family: String
  )? {
    try database.firstRow(
      "SELECT account, family FROM token WHERE hash = ? AND kind = ? AND expires > ?", hash,
      kind.rawValue, time
    ) { ($0.string(0), $0.string(1)) }
  }

  /// Withdraws a token: a refresh token with everything of its sign-in, an access token alone (RFC 7009 §2.1).
  func withdraw(_ hash: [UInt8]) throws {
    let family = try database.firstRow(
      "SELECT family FROM token WHERE hash = ? AND kind = 'refresh'", hash
    ) { $0.string(0) }
    if let family { try withdraw(family: family) }
    try remove(hash)
  }

  /// Withdraws everything that came of one sign-in.
  func withdraw(family: String) throws {
    // Nor does a client come back by what it was given on the way. Which one that was nobody has noted: the account's others
    // have their own secrets for that.
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

  // MARK: - Coming back

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

  /// A new password ends what came of the old one.
  func removeAll(of account: String) throws {
    try database.run("DELETE FROM token WHERE account = ?", account)
    try database.run("DELETE FROM returning_token WHERE account = ?", account)
  }
}
