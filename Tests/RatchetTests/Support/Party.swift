import Crypto
import Testing

@testable import Ratchet

/// Bytes that follow from a seed, so that a test always does the same.
struct SeededBytes {
  private var state: UInt64

  init(_ seed: UInt64) { state = seed }

  /// SplitMix64.
  private mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
    return value ^ value >> 31
  }

  mutating func callAsFunction(_ count: Int) -> [UInt8] {
    (0..<count).map { _ in UInt8(truncatingIfNeeded: next() >> 24) }
  }

  mutating func below(_ limit: Int) -> Int { Int(next() >> 33) % limit }
}

/// A device with its keys and its sessions with a single other device.
final class Party {
  let own: OwnKeys
  var sessions: [RatchetState] = []
  var limits: RatchetLimits
  private(set) var draws = 0
  private var bytes: SeededBytes

  init(
    _ seed: UInt64, preKeys: ClosedRange<UInt32> = 1...3, limits: RatchetLimits = .live
  ) throws {
    var bytes = SeededBytes(seed)
    own = OwnKeys(
      identity: try IdentityKey(seed: bytes(32)), registrationID: UInt32(seed),
      signedPreKeys: [7: bytes(32)],
      preKeys: Dictionary(uniqueKeysWithValues: preKeys.map { ($0, bytes(32)) }))
    self.limits = limits
    self.bytes = bytes
  }

  /// The same device without these pre-keys.
  init(_ other: Party, without deleted: Set<UInt32>) {
    own = OwnKeys(
      identity: other.own.identity, registrationID: other.own.registrationID,
      signedPreKeys: other.own.signedPreKeys,
      preKeys: other.own.preKeys.filter { !deleted.contains($0.key) })
    sessions = other.sessions
    limits = other.limits
    bytes = other.bytes
  }

  private func draw(_ count: Int) -> [UInt8] {
    draws += 1
    return bytes(count)
  }

  func bundle() throws -> PreKeyBundle {
    try bundle(signedPreKey: KeyAgreement.publicKey(of: #require(own.signedPreKeys[7])))
  }

  /// A bundle with another signed pre-key, and the right signature for it.
  func bundle(signedPreKey: [UInt8]) throws -> PreKeyBundle {
    PreKeyBundle(
      identityKey: own.identity.publicKey, signedPreKeyID: 7, signedPreKey: signedPreKey,
      signedPreKeySignature: try own.identity.signForMontgomery([5] + signedPreKey),
      preKeys: try own.preKeys.sorted { $0.key < $1.key }.map {
        .init(id: $0.key, key: try KeyAgreement.publicKey(of: $0.value))
      })
  }

  /// Begins a session, which becomes the current one.
  func begin(with other: Party) throws {
    let state = try DoubleRatchet.begin(
      with: other.bundle(), own: own, knownIdentityKey: sessions.first?.theirIdentityKey,
      random: draw)
    sessions = DoubleRatchet.makingCurrent(state, of: sessions, limits: limits)
  }

  /// The next message of the current session.
  func seal(_ text: String = "text") throws -> DoubleRatchet.SealedKey {
    let (message, next) = try DoubleRatchet.seal(
      Array(text.utf8), #require(sessions.first), own: own)
    sessions[0] = next
    return message
  }

  /// The next messages of the current session.
  func seal(count: Int) throws -> [DoubleRatchet.SealedKey] {
    try (0..<count).map { try seal("text \($0)") }
  }

  /// Opens a message, and keeps the sessions after it.
  @discardableResult
  func open(_ message: DoubleRatchet.SealedKey) throws -> DoubleRatchet.Opened {
    try open(message.bytes, isKeyExchange: message.isKeyExchange)
  }

  @discardableResult
  func open(_ bytes: [UInt8], isKeyExchange: Bool = false) throws -> DoubleRatchet.Opened {
    let opened = try DoubleRatchet.open(
      bytes, isKeyExchange: isKeyExchange, sessions: sessions, own: own, limits: limits,
      random: draw)
    sessions = opened.sessions
    return opened
  }

  /// Two devices with a session that both use: the first one has begun it.
  static func pair(limits: RatchetLimits = .live) throws -> (alice: Party, bob: Party) {
    let alice = try Party(1)
    let bob = try Party(2, limits: limits)
    try alice.begin(with: bob)
    try bob.open(alice.seal())
    try alice.open(bob.seal())
    return (alice, bob)
  }
}

extension DoubleRatchet.Opened {
  var text: String { String(decoding: material, as: UTF8.self) }
}
