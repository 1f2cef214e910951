import Crypto
import XMPP

/// Makes the keys that are stored in place of passwords (RFC 5802 §3).
struct Passwords: Sendable {
  let crypto: CryptoLibrary
  /// PBKDF2 rounds for new passwords.
  let iterations: Int

  /// The form in which a password is hashed, the same whoever typed it (RFC 5802 §2.2); `nil` for
  /// one that cannot be used.
  static func prepared(_ password: String) -> String? {
    // One reason only: characters that nobody can type reliably.
    guard password.utf8.count <= 1023, let prepared = try? SASLPrep.prepare(password),
      !prepared.isEmpty
    else { return nil }
    return prepared
  }

  /// The keys of `password`, which is prepared, under a new salt.
  func keys(for password: String, by function: HashFunction) throws -> StoredKeys {
    try keys(for: password, by: function, salt: randomBytes(16), iterations: iterations)
  }

  /// Whether `keys` were made from `password`, as it was typed.
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
