import Crypto
import Sockets

/// The client side of SCRAM (RFC 5802, RFC 7677): proves knowledge of the password without
/// revealing it, and makes the server prove the same.
package struct SCRAMClient {
  /// The fewest accepted iterations: real servers use at least this many, and RFC 7677 §4 requires
  /// it.
  package static let leastIterations = 4096
  /// The most accepted iterations: more than any server uses, and few enough not to keep this
  /// machine busy for seconds.
  package static let iterationLimit = 2_000_000

  private let function: HashFunction
  private let password: String
  private let crypto: CryptoLibrary
  private let clientNonce: String
  private let firstBare: String
  /// The channel binding flag, and an empty authorization identity (`gs2-header`).
  private let header: String
  /// The channel binding data of the TLS connection; empty without binding.
  private let bindingData: [UInt8]
  /// The server's offer as it arrived; `nil` disables the check.
  private let announcement: SASLAnnouncement?
  private let requiresAnnouncement: Bool
  private var expectedServerSignature: [UInt8]?

  /// - Parameters:
  ///   - user: The name to sign in with: the localpart of the JID.
  ///   - nonce: Printable ASCII without commas, unguessable.
  ///   - binding: The statement about channel binding.
  ///   - announcement: The server's offer as it arrived, to be compared with the server's digest of
  ///     it (XEP-0474); `nil` disables the check.
  ///   - requiresAnnouncement: `true` if a server without such a digest is rejected.
  /// - Throws: `SCRAMError.unusablePassword`.
  package init(
    _ function: HashFunction, user: String, password: String, crypto: CryptoLibrary,
    nonce: String = Base64.encode(randomBytes(24)), binding: SCRAMBinding = .none,
    announcement: SASLAnnouncement? = nil, requiresAnnouncement: Bool = false
  ) throws(SCRAMError) {
    switch binding {
    case .none: (header, bindingData) = ("n,,", [])
    case .notOffered: (header, bindingData) = ("y,,", [])
    case .bound(let binding): (header, bindingData) = ("p=\(binding.kind.rawValue),,", binding.data)
    }
    self.announcement = announcement
    self.requiresAnnouncement = requiresAnnouncement
    self.function = function
    self.password = try SASLPrep.prepare(password)
    self.crypto = crypto
    clientNonce = nonce
    let name = try SASLPrep.prepare(user)
      .replacing("=", with: "=3D").replacing(",", with: "=2C")
    firstBare = "n=\(name),r=\(nonce)"
  }

  /// The client-first-message (§7).
  package var first: String { header + firstBare }

  /// Returns the client-final-message, which answers the server-first-message.
  /// - Throws: `SCRAMError`, `CryptoError`.
  package mutating func final(answering serverFirst: String) throws -> String {
    let fields = try Self.fields(of: serverFirst)
    if let error = fields["e"] { throw SCRAMError.refused(error) }
    // A mandatory extension that this client does not support (§5.1, `m`).
    guard fields["m"] == nil else { throw SCRAMError.malformed("m") }
    guard let nonce = fields["r"] else { throw SCRAMError.malformed("r") }
    guard nonce.utf8.starts(with: clientNonce.utf8), nonce.utf8.count > clientNonce.utf8.count
    else {
      throw SCRAMError.wrongNonce
    }
    guard let salt = fields["s"].flatMap({ Base64.decode($0) }), !salt.isEmpty else {
      throw SCRAMError.malformed("s")
    }
    guard let iterations = fields["i"].flatMap({ Int($0) }), iterations > 0 else {
      throw SCRAMError.malformed("i")
    }
    guard iterations >= Self.leastIterations else {
      throw SCRAMError.tooFewIterations(iterations)
    }
    guard iterations <= Self.iterationLimit else { throw SCRAMError.tooManyIterations(iterations) }

    try check(announced: fields["h"])

    let salted = try crypto.pbkdf2(
      password: Array(password.utf8), salt: salt, iterations: iterations, by: function)
    let clientKey = try crypto.hmac(Array("Client Key".utf8), key: salted, by: function)
    let storedKey = try crypto.hash(clientKey, by: function)
    let withoutProof = "c=\(Base64.encode(Array(header.utf8) + bindingData)),r=\(nonce)"
    let authMessage = Array("\(firstBare),\(serverFirst),\(withoutProof)".utf8)
    let signature = try crypto.hmac(authMessage, key: storedKey, by: function)
    let proof = zip(clientKey, signature).map { $0 ^ $1 }
    let serverKey = try crypto.hmac(Array("Server Key".utf8), key: salted, by: function)
    expectedServerSignature = try crypto.hmac(authMessage, key: serverKey, by: function)
    return "\(withoutProof),p=\(Base64.encode(proof))"
  }

  /// Checks that the server's offer arrived unchanged (XEP-0474 §4.2). Both proofs cover the
  /// server's digest, so they detect an attacker who changes the digest as well.
  private func check(announced: String?) throws {
    guard let announcement, let announced else {
      if requiresAnnouncement { throw SCRAMError.announcementMissing }
      return
    }
    guard try announcement.digest(by: function, crypto) == announced else {
      throw SCRAMError.announcementChanged
    }
  }

  /// Checks the server-final-message, with which the server proves that it knows the password too.
  /// - Throws: `SCRAMError`.
  package func verify(_ serverFinal: String) throws(SCRAMError) {
    let fields = try Self.fields(of: serverFinal)
    if let error = fields["e"] { throw .refused(error) }
    guard let expectedServerSignature, let value = fields["v"].flatMap({ Base64.decode($0) }) else {
      throw .malformed("v")
    }
    guard isEqualInConstantTime(value, expectedServerSignature) else { throw .wrongServerSignature }
  }

  /// Returns the attributes of a message by their letter; throws when an attribute occurs twice.
  private static func fields(of message: String) throws(SCRAMError) -> [String: String] {
    var fields: [String: String] = [:]
    for part in message.split(separator: ",", omittingEmptySubsequences: false) {
      guard let equals = part.firstIndex(of: "="),
        part.distance(from: part.startIndex, to: equals) == 1,
        fields.updateValue(
          String(part[part.index(after: equals)...]), forKey: String(part[..<equals]))
          == nil
      else { throw .malformed(String(part.prefix(1))) }
    }
    return fields
  }
}
