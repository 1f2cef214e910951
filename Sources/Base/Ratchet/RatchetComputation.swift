import Crypto

/// An X25519 key pair.
struct RatchetKeyPair: Sendable, Hashable {
  let privateKey: [UInt8]
  let publicKey: [UInt8]

  /// - Parameter privateKey: 32 bytes.
  init(privateKey: [UInt8]) throws(RatchetError) {
    self.privateKey = privateKey
    do { publicKey = try KeyAgreement.publicKey(of: privateKey) } catch {
      throw RatchetError(error)
    }
  }

  /// A pair that was stored.
  init(privateKey: [UInt8], publicKey: [UInt8]) {
    self.privateKey = privateKey
    self.publicKey = publicKey
  }
}

/// The keys of one direction between two ratchet keys (The Double Ratchet Algorithm, §2.2).
struct RatchetChain: Sendable, Hashable {
  /// The key from which those of the next message follow, 32 bytes.
  var key: [UInt8]
  /// The number of the next message.
  var count: Int
}

/// The computations of X3DH and of the double ratchet, with the parameters of a version.
struct RatchetComputation {
  /// The keys of one message.
  struct MessageKeys {
    let cipherKey: [UInt8]
    let codeKey: [UInt8]
    let iv: [UInt8]
  }

  let profile: RatchetProfile
  private let library = CryptoLibrary()

  init(_ version: RatchetVersion) throws(RatchetError) { profile = try version.profile() }

  /// The secret of two X25519 keys.
  func secret(_ privateKey: [UInt8], _ publicKey: [UInt8]) throws(RatchetError) -> [UInt8] {
    do { return try KeyAgreement.secret(privateKey, publicKey) } catch { throw RatchetError(error) }
  }

  /// The first root key of the secrets of X3DH, in the order of its specification (§3.3).
  func sharedKey(_ secrets: [[UInt8]]) throws(RatchetError) -> [UInt8] {
    let padding = [UInt8](repeating: 0xFF, count: 32)
    let material = padding + Array(secrets.joined())
    return try derive(
      material, salt: [UInt8](repeating: 0, count: 32), info: profile.agreementInfo, byteCount: 32)
  }

  /// The next root key and the chain that begins with it.
  func rootStep(
    _ root: [UInt8], _ secret: [UInt8]
  ) throws(RatchetError) -> (root: [UInt8], chain: RatchetChain) {
    let bytes = try derive(secret, salt: root, info: profile.rootInfo, byteCount: 64)
    return (Array(bytes[..<32]), RatchetChain(key: Array(bytes[32...]), count: 0))
  }

  /// Takes the seeds of the messages before `end` from a chain.
  /// - Returns: 32 bytes for each message.
  func seeds(_ chain: inout RatchetChain, until end: Int) throws(RatchetError) -> [UInt8] {
    guard chain.count < end else { return [] }
    var seeds: [UInt8] = []
    seeds.reserveCapacity((end - chain.count) * 32)
    do {
      while chain.count < end {
        seeds += try library.hmac([1], key: chain.key, by: .sha256)
        chain.key = try library.hmac([2], key: chain.key, by: .sha256)
        chain.count += 1
      }
    } catch { throw RatchetError(error) }
    return seeds
  }

  func messageKeys(_ seed: [UInt8]) throws(RatchetError) -> MessageKeys {
    let bytes = try derive(
      seed, salt: [UInt8](repeating: 0, count: 32), info: profile.messageInfo, byteCount: 80)
    return MessageKeys(
      cipherKey: Array(bytes[..<32]), codeKey: Array(bytes[32..<64]), iv: Array(bytes[64...]))
  }

  /// The authentication code of a message.
  func code(
    _ body: ArraySlice<UInt8>, key: [UInt8], sender: [UInt8], receiver: [UInt8]
  ) throws(RatchetError) -> [UInt8] {
    let bound = profile.associatedData(sender: sender, receiver: receiver) + body
    do {
      let code = try library.hmac(bound, key: key, by: .sha256)
      return Array(code.prefix(profile.codeByteCount))
    } catch { throw RatchetError(error) }
  }

  private func derive(
    _ material: [UInt8], salt: [UInt8], info: [UInt8], byteCount: Int
  ) throws(RatchetError) -> [UInt8] {
    do {
      return try library.hkdf(material, salt: salt, info: info, byteCount: byteCount)
    } catch { throw RatchetError(error) }
  }
}
