import Crypto

/// One session with a device: the state of its double ratchet between two messages.
///
/// A value. Functions that seal or open a message return the next state, which must be stored
/// before the message is sent or shown; after a failure the former one still holds.
package struct RatchetState: Sendable, Hashable {
  /// The keys of the other device that a key exchange names.
  struct PendingExchange: Sendable, Hashable {
    let preKeyID: UInt32
    let signedPreKeyID: UInt32
  }

  /// An earlier chain of the other device.
  struct FinishedChain: Sendable, Hashable {
    let ratchetKey: [UInt8]
    /// The number of messages up to which its keys were computed.
    let count: Int
  }

  package let version: RatchetVersion
  /// The identity key of the other device in its X25519 form, 32 bytes.
  package let theirIdentityKey: [UInt8]
  /// The key that distinguishes this session from all others of the two devices, 32 bytes: that
  /// which the device that began it made for its key exchange.
  package let baseKey: [UInt8]
  /// Indicates whether this device began the session.
  package let isBegunHere: Bool

  var root: [UInt8]
  var ownRatchet: RatchetKeyPair
  var theirRatchetKey: [UInt8]?
  var sending: RatchetChain?
  /// The length of the chain that was sent before `sending`.
  var previousCount = 0
  var receiving: RatchetChain?
  /// The key exchange that each message carries until the other device has answered.
  var pending: PendingExchange?
  /// The earlier chains of the other device, the newest last.
  var finished: [FinishedChain] = []
  var skipped = SkippedKeys()

  /// Indicates whether the other device has answered, so that both use the session.
  package var isConfirmed: Bool { pending == nil }

  /// The number of keys that are kept for messages that have not arrived.
  package var skippedCount: Int { skipped.count }

  /// The session with at most `limit` keys for messages that have not arrived, the newest.
  package func keepingSkipped(atMost limit: Int) -> RatchetState {
    var next = self
    next.skipped.keepNewest(limit)
    return next
  }
}

/// Logs and dumps show no key.
extension RatchetState: CustomStringConvertible, CustomReflectable {
  package var description: String {
    "session of version \(version.rawValue) with \(skippedCount) skipped keys"
  }
  package var customMirror: Mirror { Mirror(self, children: ["skipped": skippedCount]) }
}

extension RatchetState {
  /// The session of the device that begins it (X3DH §3.3).
  static func begun(
    with bundle: PreKeyBundle, preKey: PreKeyBundle.PreKey, own: IdentityKey,
    random: (Int) throws(CryptoError) -> [UInt8]
  ) throws(RatchetError) -> RatchetState {
    let computation = try RatchetComputation(bundle.version)
    let base = try RatchetKeyPair(privateKey: DoubleRatchet.draw(32, random))
    let ratchet = try RatchetKeyPair(privateKey: DoubleRatchet.draw(32, random))
    let shared = try computation.sharedKey([
      computation.secret(own.privateKey, bundle.signedPreKey),
      computation.secret(base.privateKey, bundle.identityKey),
      computation.secret(base.privateKey, bundle.signedPreKey),
      computation.secret(base.privateKey, preKey.key),
    ])
    let secret = try computation.secret(ratchet.privateKey, bundle.signedPreKey)
    let (root, sending) = try computation.rootStep(shared, secret)
    return RatchetState(
      version: bundle.version, theirIdentityKey: bundle.identityKey, baseKey: base.publicKey,
      isBegunHere: true, root: root, ownRatchet: ratchet, theirRatchetKey: bundle.signedPreKey,
      sending: sending,
      pending: PendingExchange(preKeyID: preKey.id, signedPreKeyID: bundle.signedPreKeyID))
  }

  /// The session of the device that receives `exchange`, before its message is opened.
  static func received(
    _ exchange: KeyExchange, version: RatchetVersion, own: OwnKeys
  ) throws(RatchetError) -> RatchetState {
    let computation = try RatchetComputation(version)
    guard let signedPreKey = own.signedPreKeys[exchange.signedPreKeyID] else {
      throw .unknownSignedPreKey(exchange.signedPreKeyID)
    }
    guard let preKey = own.preKeys[exchange.preKeyID] else {
      throw .unknownPreKey(exchange.preKeyID)
    }
    let shared = try computation.sharedKey([
      computation.secret(signedPreKey, exchange.identityKey),
      computation.secret(own.identity.privateKey, exchange.baseKey),
      computation.secret(signedPreKey, exchange.baseKey),
      computation.secret(preKey, exchange.baseKey),
    ])
    return RatchetState(
      version: version, theirIdentityKey: exchange.identityKey, baseKey: exchange.baseKey,
      isBegunHere: false, root: shared, ownRatchet: try RatchetKeyPair(privateKey: signedPreKey))
  }
}
