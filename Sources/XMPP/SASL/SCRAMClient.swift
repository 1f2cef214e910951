import Crypto
import Sockets

/// The client's side of SCRAM (RFC 5802, RFC 7677): proves that it knows the password without telling it, and has the server
/// prove the same.
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
  /// What is said of channel binding, and that nobody else is to be signed in (`gs2-header`).
  private let header: String
  /// What binds to the TLS connection; empty where nothing does.
  private let bindingData: [UInt8]
  /// What the server offered, as it arrived; `nil`: it is not checked.
  private let announcement: SASLAnnouncement?
  private let requiresAnnouncement: Bool
  private var expectedServerSignature: [UInt8]?

  /// - Parameters:
  ///   - user: the name to sign in as: the localpart of the address.
  ///   - nonce: printable ASCII without commas, unguessable.
  ///   - binding: what is said of channel binding.
  ///   - announcement: what the server offered, to be compared with what it says that it did (XEP-0474); `nil`: it is not.
  ///   - requiresAnnouncement: whether a server that does not say it is refused.
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

  /// Whether the server's offer arrived as it was made (XEP-0474 §4.2). What it says of that is under both proofs, so whoever
  /// changes it as well is found out with them.
  private func check(announced: String?) throws {
    guard let announcement, let announced else {
      if requiresAnnouncement { throw SCRAMError.announcementMissing }
      return
    }
    guard try announcement.digest(by: function, crypto) == announced else {
      throw SCRAMError.announcementChanged
    }
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
