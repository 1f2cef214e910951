import Crypto
import XMPP

/// Derives the keys that are stored instead of passwords (RFC 5802 §3).
struct Passwords: Sendable {
  let crypto: CryptoLibrary
  /// The number of PBKDF2 iterations for new passwords.
  let iterations: Int

  /// Returns the normalized form of a password that is hashed, which does not depend on the input
  /// method (RFC 5802 §2.2), or `nil` for a password that cannot be used.
  static func prepared(_ password: String) -> String? {
    // Preparation fails only for characters that cannot be typed reliably.
    guard password.utf8.count <= 1023, let prepared = try? SASLPrep.prepare(password),
      !prepared.isEmpty
    else { return nil }
    return prepared
  }

  /// Returns the keys of a prepared password, with a new salt.
  func keys(for password: String, by function: HashFunction) throws -> StoredKeys {
    try keys(for: password, by: function, salt: randomBytes(16), iterations: iterations)
  }

  /// Returns whether `keys` were derived from the password `typed`, which is not prepared yet.
  func matches(_ typed: String, _ keys: StoredKeys, by function: HashFunction) throws -> Bool {
    guard let password = Self.prepared(typed) else { return false }
    let made = try self.keys(
      for: password, by: function, salt: keys.salt, iterations: keys.iterations)
    return isEqualInConstantTime(made.storedKey, keys.storedKey)
  }

  private func keys(
    for password: String, by function: HashFunction, salt: [UInt8], iterations: Int
  ) throws -> StoredKeys {
    let salted = try crypto.pbkdf2(
      password: Array(password.utf8), salt: salt, iterations: iterations, by: function)
    let clientKey = try crypto.hmac(Array("Client Key".utf8), key: salted, by: function)
    return StoredKeys(
      salt: salt, iterations: iterations, storedKey: try crypto.hash(clientKey, by: function),
      serverKey: try crypto.hmac(Array("Server Key".utf8), key: salted, by: function))
  }
}
