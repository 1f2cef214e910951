import Crypto

/// The client's side of SCRAM (RFC 5802, RFC 7677), without channel binding: proves that it knows the password
/// without telling it, and has the server prove the same.
package struct SCRAMClient {
  /// Fewer than any server in use asks for, and than RFC 7677 §4 allows.
  package static let leastIterations = 4096
  /// More than any server uses, and few enough not to keep this machine busy for seconds.
  package static let iterationLimit = 2_000_000

  private let function: HashFunction
  private let password: String
  private let crypto: CryptoLibrary
  private let clientNonce: String
  private let firstBare: String
  /// `n,,`: no channel binding, no other identity. Not `y,,`: some servers refuse it where they offer -PLUS.
  private static let header = "n,,"
  private var expectedServerSignature: [UInt8]?

  /// - Parameters:
  ///   - user: the name to sign in as: the localpart of the address.
  ///   - nonce: printable ASCII without commas, unguessable.
  /// - Throws: `SCRAMError.unusablePassword`.
  package init(
    _ function: HashFunction, user: String, password: String, crypto: CryptoLibrary,
    nonce: String = Base64.encode(randomBytes(24))
  ) throws(SCRAMError) {
    self.function = function
    self.password = try SASLPrep.prepare(password)
    self.crypto = crypto
    clientNonce = nonce
    let name = try SASLPrep.prepare(user)
      .replacing("=", with: "=3D").replacing(",", with: "=2C")
    firstBare = "n=\(name),r=\(nonce)"
  }

  /// The client-first-message (§7).
  package var first: String { Self.header + firstBare }

  /// The client-final-message, the answer to the server-first-message.
  /// - Throws: `SCRAMError`, `CryptoError`.
  package mutating func final(answering serverFirst: String) throws -> String {
    let fields = try Self.fields(of: serverFirst)
    if let error = fields["e"] { throw SCRAMError.refused(error) }
    // A mandatory extension that this client does not know (§5.1, `m`).
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

    let salted = try crypto.pbkdf2(
      password: Array(password.utf8), salt: salt, iterations: iterations, by: function)
    let clientKey = try crypto.hmac(Array("Client Key".utf8), key: salted, by: function)
    let storedKey = try crypto.hash(clientKey, by: function)
    let withoutProof = "c=\(Base64.encode(Array(Self.header.utf8))),r=\(nonce)"
    let authMessage = Array("\(firstBare),\(serverFirst),\(withoutProof)".utf8)
    let signature = try crypto.hmac(authMessage, key: storedKey, by: function)
    let proof = zip(clientKey, signature).map { $0 ^ $1 }
    let serverKey = try crypto.hmac(Array("Server Key".utf8), key: salted, by: function)
    expectedServerSignature = try crypto.hmac(authMessage, key: serverKey, by: function)
    return "\(withoutProof),p=\(Base64.encode(proof))"
  }

  /// Checks the server-final-message: the server has to know the password as well.
  /// - Throws: `SCRAMError`.
  package func verify(_ serverFinal: String) throws(SCRAMError) {
    let fields = try Self.fields(of: serverFinal)
    if let error = fields["e"] { throw .refused(error) }
    guard let expectedServerSignature, let value = fields["v"].flatMap({ Base64.decode($0) }) else {
      throw .malformed("v")
    }
    guard isEqualInConstantTime(value, expectedServerSignature) else { throw .wrongServerSignature }
  }

  /// The attributes of a message by their letter; an attribute given twice makes it void.
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
