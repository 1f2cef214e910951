import Crypto

/// The sessions of this device with another one: X3DH and the double ratchet as functions from
/// bytes and states to bytes and states (OMEMO 0.3.0).
package enum DoubleRatchet {
  /// A message for one device.
  package struct SealedKey: Sendable, Hashable {
    package let bytes: [UInt8]
    /// Indicates whether the other device needs the message to begin the session.
    package let isKeyExchange: Bool
  }

  /// A message that was opened, and what follows from it.
  package struct Opened: Sendable {
    package let material: [UInt8]
    /// The sessions that replace the ones with which the message was opened. The first one is
    /// current: the one that opened the message.
    package let sessions: [RatchetState]
    /// The pre-key that is used now and must not be used for another session, if the message began
    /// one. Until its private key is deleted, the base key of the session belongs to
    /// `OwnKeys.usedBaseKeys`.
    package let usedPreKeyID: UInt32?
    /// The identity key of the device that wrote the message, in its X25519 form.
    package let theirIdentityKey: [UInt8]
    /// The number of the message in its chain.
    package let counter: Int
    /// Indicates whether the message began a session.
    package let isNewSession: Bool
    /// Indicates whether the other device should get a message soon, if need be an empty one: it
    /// began a session, or its chain has become long.
    package let needsAnswer: Bool
  }

  /// The number in its chain from which a message should be answered, so that the keys change.
  package static let longChain = 53

  /// Begins a session with the device that published `bundle`. Nothing is sent: the first message
  /// carries the key exchange.
  /// - Parameter knownIdentityKey: The identity key that the device had before, if it is known.
  /// - Throws: `RatchetError`; `.identityChanged`, `.wrongSignature` and `.refusedKey` for keys
  ///   that must not be used.
  package static func begin(
    with bundle: PreKeyBundle, own: OwnKeys, knownIdentityKey: [UInt8]? = nil,
    random: (Int) throws(CryptoError) -> [UInt8] = secureRandomBytes
  ) throws(RatchetError) -> RatchetState {
    let profile = try bundle.version.profile()
    let keys = [bundle.identityKey, bundle.signedPreKey] + bundle.preKeys.map(\.key)
    guard keys.allSatisfy({ $0.count == 32 }) else { throw .malformed(.publicKey) }
    try check(bundle.identityKey, isKnown: knownIdentityKey)
    let isSigned: Bool
    do {
      isSigned = try Signature.isValid(
        bundle.signedPreKeySignature, of: profile.wireKey(bundle.signedPreKey),
        montgomeryKey: bundle.identityKey)
    } catch { throw RatchetError(error) }
    guard isSigned else { throw .wrongSignature }
    let preKey = try choose(bundle.preKeys, random)
    return try .begun(with: bundle, preKey: preKey, own: own.identity, random: random)
  }

  /// Seals `material` for the device of a session.
  /// - Parameter material: The key of the message's payload; zeros for an empty message.
  /// - Returns: The message, and the state that must be stored before the message is sent.
  package static func seal(
    _ material: [UInt8], _ state: RatchetState, own: OwnKeys
  ) throws(RatchetError) -> (message: SealedKey, next: RatchetState) {
    let (message, next) = try state.sealed(material, own: own.identity)
    guard let pending = state.pending else {
      return (SealedKey(bytes: message, isKeyExchange: false), next)
    }
    let exchange = KeyExchange.bytes(
      pending, baseKey: state.baseKey, identityKey: own.identity.publicKey, message: message,
      registrationID: own.registrationID)
    return (SealedKey(bytes: exchange, isKeyExchange: true), next)
  }

  /// Opens a message of a device.
  /// - Parameter sessions: The sessions with the device: the current one, then the former ones from
  ///   the newest to the oldest.
  /// - Parameter knownIdentityKey: The identity key that the device had before, if it is known. By
  ///   default, that of the current session.
  /// - Throws: `RatchetError`; nothing is used up then, neither a pre-key nor a key of a session.
  package static func open(
    _ bytes: [UInt8], isKeyExchange: Bool, sessions: [RatchetState], own: OwnKeys,
    version: RatchetVersion = .v030, knownIdentityKey: [UInt8]? = nil,
    limits: RatchetLimits = .live, random: (Int) throws(CryptoError) -> [UInt8] = secureRandomBytes
  ) throws(RatchetError) -> Opened {
    let profile = try version.profile()
    guard bytes.count <= limits.messageByteCount else { throw .malformed(.tooLong) }
    guard isKeyExchange else {
      let message = try message(in: bytes[...], profile)
      return try open(
        message, candidates(for: message, in: sessions, of: version), sessions, own, limits, random)
    }
    let exchange: KeyExchange
    do { exchange = try KeyExchange(bytes[...]) } catch { throw .malformed(error) }
    let message = try message(in: exchange.message, profile)
    // Each message before the first answer repeats the key exchange.
    let known = sessions.firstIndex {
      !$0.isBegunHere && $0.version == version && $0.baseKey == exchange.baseKey
        && $0.theirIdentityKey == exchange.identityKey
    }
    if let known { return try open(message, [known], sessions, own, limits, random) }
    // Its session is no longer kept, and a pre-key does not begin it again.
    guard !own.usedBaseKeys.contains(exchange.baseKey) else { throw .tooLate }
    try check(
      exchange.identityKey, isKnown: knownIdentityKey ?? sessions.first?.theirIdentityKey)
    let new = try RatchetState.received(exchange, version: version, own: own)
    let (material, next) = try new.opened(
      message, own: own.identity, limits: limits, random: random)
    return Opened(
      material: material, sessions: makingCurrent(next, of: sessions, limits: limits),
      usedPreKeyID: exchange.preKeyID, theirIdentityKey: exchange.identityKey,
      counter: message.counter, isNewSession: true, needsAnswer: true)
  }

  /// Returns the sessions with `state` as the current one, and as many former ones as are kept.
  package static func makingCurrent(
    _ state: RatchetState, of sessions: [RatchetState], limits: RatchetLimits = .live
  ) -> [RatchetState] {
    [state] + sessions.prefix(max(0, limits.formerSessions))
  }

  static func draw(
    _ count: Int, _ random: (Int) throws(CryptoError) -> [UInt8]
  ) throws(RatchetError) -> [UInt8] {
    do { return try random(count) } catch { throw RatchetError(error) }
  }

  // MARK: - Parts

  private static func check(
    _ identityKey: [UInt8], isKnown known: [UInt8]?
  ) throws(RatchetError) {
    guard let known, known != identityKey else { return }
    throw .identityChanged(known: known, new: identityKey)
  }

  /// Returns one of the pre-keys by chance, so that two senders seldom take the same one.
  private static func choose(
    _ preKeys: [PreKeyBundle.PreKey], _ random: (Int) throws(CryptoError) -> [UInt8]
  ) throws(RatchetError) -> PreKeyBundle.PreKey {
    guard let first = preKeys.first else { throw .malformed(.noPreKey) }
    guard preKeys.count > 1 else { return first }
    let bytes = try draw(4, random)
    let number = bytes.reduce(0) { $0 << 8 | Int($1) }
    return preKeys[number % preKeys.count]
  }

  private static func message(
    in bytes: ArraySlice<UInt8>, _ profile: RatchetProfile
  ) throws(RatchetError) -> RatchetMessage {
    do { return try RatchetMessage(bytes, profile) } catch { throw .malformed(error) }
  }

  /// Returns the indices of the sessions that may open a message: the one that knows its chain, or
  /// all, because each may be the one whose chain begins with it.
  private static func candidates(
    for message: RatchetMessage, in sessions: [RatchetState], of version: RatchetVersion
  ) -> [Int] {
    let usable = sessions.indices.filter { sessions[$0].version == version }
    return usable.first { sessions[$0].knows(message.ratchetKey) }.map { [$0] } ?? usable
  }

  /// Opens a message with the first session that can.
  ///
  /// For a message that begins a chain, the keys before it are computed in each session; all
  /// sessions share the limit of one message.
  /// - Throws: The reason of the first session if none can; `.tooManySkipped` if not all were
  ///   tried.
  private static func open(
    _ message: RatchetMessage, _ candidates: [Int], _ sessions: [RatchetState], _ own: OwnKeys,
    _ limits: RatchetLimits, _ random: (Int) throws(CryptoError) -> [UInt8]
  ) throws(RatchetError) -> Opened {
    var reason: RatchetError?
    var computed = 0
    for index in candidates {
      // The first one has this limit by itself.
      guard reason == nil || computed + message.counter <= limits.skippedByMessage else {
        throw .tooManySkipped(message.counter)
      }
      computed += message.counter
      let session = sessions[index]
      do {
        let (material, next) = try session.opened(
          message, own: own.identity, limits: limits, random: random)
        var others = sessions
        others.remove(at: index)
        return Opened(
          material: material, sessions: makingCurrent(next, of: others, limits: limits),
          usedPreKeyID: nil, theirIdentityKey: session.theirIdentityKey, counter: message.counter,
          isNewSession: false, needsAnswer: session.isFirstOfLongChain(message))
      } catch {
        guard error.allowsAnotherSession else { throw error }
        reason = reason ?? error
      }
    }
    throw reason ?? .noSession
  }
}

/// Logs and dumps show neither the material nor a key of a session.
extension DoubleRatchet.Opened: CustomStringConvertible, CustomReflectable {
  package var description: String { "message \(counter) with \(material.count) bytes" }
  package var customMirror: Mirror { Mirror(self, children: ["sessions": sessions]) }
}

extension RatchetError {
  /// Indicates whether another session with the device may open the message.
  fileprivate var allowsAnotherSession: Bool {
    switch self {
    case .wrongCode, .tooManySkipped: true
    default: false
    }
  }
}

extension RatchetState {
  /// Indicates whether `message`, which this session opens, is the first one of its chain with a
  /// number from which messages should be answered.
  fileprivate func isFirstOfLongChain(_ message: RatchetMessage) -> Bool {
    guard message.counter >= DoubleRatchet.longChain else { return false }
    if let receiving, theirRatchetKey == message.ratchetKey {
      return receiving.count <= DoubleRatchet.longChain
    }
    return !knows(message.ratchetKey)
  }
}
