import Crypto

extension RatchetState {
  /// Seals `material` as the next message.
  func sealed(
    _ material: [UInt8], own: IdentityKey
  ) throws(RatchetError) -> (message: [UInt8], next: RatchetState) {
    let computation = try RatchetComputation(version)
    guard var chain = sending else { throw .noSession }
    guard let counter = UInt32(exactly: chain.count), counter < .max,
      let previous = UInt32(exactly: previousCount)
    else { throw .chainExhausted }
    let seed = try computation.seeds(&chain, until: chain.count + 1)
    let keys = try computation.messageKeys(seed)
    let ciphertext: [UInt8]
    do {
      ciphertext = try BlockCipher.sealCBC(material, key: keys.cipherKey, iv: keys.iv)
    } catch { throw RatchetError(error) }
    let body = RatchetMessage.body(
      ratchetKey: ownRatchet.publicKey, counter: counter, previous: previous,
      ciphertext: ciphertext)
    let code = try computation.code(
      body[...], key: keys.codeKey, sender: own.publicKey, receiver: theirIdentityKey)
    var next = self
    next.sending = chain
    return (body + code, next)
  }

  /// Indicates whether a message with this ratchet key belongs to this session, as opposed to
  /// beginning a new chain of any session.
  func knows(_ ratchetKey: [UInt8]) -> Bool {
    receiving != nil && theirRatchetKey == ratchetKey
      || finished.contains { $0.ratchetKey == ratchetKey } || skipped.hasChain(ratchetKey)
  }

  /// Opens a message. Only after its code was right, the former chain ends and a new ratchet key is
  /// drawn.
  func opened(
    _ message: RatchetMessage, own: IdentityKey, limits: RatchetLimits,
    random: (Int) throws(CryptoError) -> [UInt8]
  ) throws(RatchetError) -> (material: [UInt8], next: RatchetState) {
    let computation = try RatchetComputation(version)
    func text(_ seed: [UInt8]) throws(RatchetError) -> [UInt8] {
      try self.text(of: message, seed, own, computation)
    }
    var next = self
    let material: [UInt8]
    if let seed = skipped.seed(message.ratchetKey, message.counter) {
      material = try text(seed)
      next.skipped.remove(message.ratchetKey, message.counter)
    } else if let chain = finished.last(where: { $0.ratchetKey == message.ratchetKey }) {
      throw message.counter < chain.count ? .duplicate : .tooLate
    } else if var chain = receiving, theirRatchetKey == message.ratchetKey {
      guard message.counter >= chain.count else { throw .duplicate }
      let first = chain.count
      let seeds = try Self.seeds(&chain, message, limits, computation)
      material = try text(Array(seeds.suffix(32)))
      next.receiving = chain
      next.skipped.append(message.ratchetKey, from: first, seeds: seeds.dropLast(32))
    } else if skipped.hasChain(message.ratchetKey) {
      // Of this chain only the keys that were skipped are remembered.
      throw .tooLate
    } else {
      let secret = try computation.secret(ownRatchet.privateKey, message.ratchetKey)
      var (root, chain) = try computation.rootStep(root, secret)
      let seeds = try Self.seeds(&chain, message, limits, computation)
      material = try text(Array(seeds.suffix(32)))
      // Only now it is certain that the other device wrote the message.
      try next.finishReceiving(message.previous, limits, computation)
      next.root = root
      next.receiving = chain
      next.theirRatchetKey = message.ratchetKey
      next.skipped.append(message.ratchetKey, from: 0, seeds: seeds.dropLast(32))
      try next.beginSending(computation, random)
    }
    next.skipped.keepNewest(limits.keptKeys)
    next.pending = nil
    return (material, next)
  }

  /// Takes the seeds up to that of `message`, which is the last one.
  private static func seeds(
    _ chain: inout RatchetChain, _ message: RatchetMessage, _ limits: RatchetLimits,
    _ computation: RatchetComputation
  ) throws(RatchetError) -> [UInt8] {
    let gap = message.counter - chain.count
    guard gap <= limits.skippedByMessage else { throw .tooManySkipped(gap) }
    return try computation.seeds(&chain, until: message.counter + 1)
  }

  /// The text of a message. It is decrypted only if the code is right.
  private func text(
    of message: RatchetMessage, _ seed: [UInt8], _ own: IdentityKey,
    _ computation: RatchetComputation
  ) throws(RatchetError) -> [UInt8] {
    let keys = try computation.messageKeys(seed)
    let code = try computation.code(
      message.body, key: keys.codeKey, sender: theirIdentityKey, receiver: own.publicKey)
    guard isEqualInConstantTime(code, message.code) else { throw .wrongCode }
    let text: [UInt8]?
    do {
      text = try BlockCipher.openCBC(message.ciphertext, key: keys.cipherKey, iv: keys.iv)
    } catch { throw RatchetError(error) }
    guard let text else { throw .malformed(.padding) }
    return text
  }

  /// Ends the chain of the other device, whose next one says that it had `previous` messages.
  ///
  /// One key more than that is kept, because libsignal says one less. If the sender does not, this
  /// key is for no message, so that it is dropped with the memory of its chain.
  private mutating func finishReceiving(
    _ previous: Int, _ limits: RatchetLimits, _ computation: RatchetComputation
  ) throws(RatchetError) {
    guard var chain = receiving, let ratchetKey = theirRatchetKey else { return }
    let end = previous + 1
    if end - chain.count <= limits.skippedByMessage {
      let first = chain.count
      let seeds = try computation.seeds(&chain, until: end)
      skipped.append(ratchetKey, from: first, seeds: seeds)
    }
    finished.append(FinishedChain(ratchetKey: ratchetKey, count: chain.count))
    while finished.count > max(0, limits.finishedChains) {
      let forgotten = finished.removeFirst()
      skipped.remove(forgotten.ratchetKey, forgotten.count - 1)
    }
  }

  /// Draws a ratchet key and begins the chain of messages sent with it.
  private mutating func beginSending(
    _ computation: RatchetComputation, _ random: (Int) throws(CryptoError) -> [UInt8]
  ) throws(RatchetError) {
    guard let theirRatchetKey else { return }
    let privateKey = try DoubleRatchet.draw(32, random)
    ownRatchet = try RatchetKeyPair(privateKey: privateKey)
    let secret = try computation.secret(privateKey, theirRatchetKey)
    previousCount = sending?.count ?? 0
    (root, sending) = try computation.rootStep(root, secret)
  }
}
