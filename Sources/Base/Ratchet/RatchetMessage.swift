/// A message of a session in 0.3.0: libsignal's `SignalMessage`.
///
/// A version byte, the fields, and the authentication code. The code is over the bytes as they were
/// received: they are never written again to compute it.
struct RatchetMessage {
  /// The byte before each public key: the kind of curve.
  static let keyType: UInt8 = 5
  /// The first byte: the version of the message, and the newest that its sender knows.
  static let version: UInt8 = 0x33

  let ratchetKey: [UInt8]
  let counter: Int
  /// The length of the sender's former chain; libsignal writes one less.
  let previous: Int
  let ciphertext: [UInt8]
  /// Everything before the code.
  let body: ArraySlice<UInt8>
  let code: [UInt8]

  init(_ bytes: ArraySlice<UInt8>, _ profile: RatchetProfile) throws(MalformedReason) {
    try Self.checkVersion(of: bytes)
    guard bytes.count > profile.codeByteCount else { throw .tooShort }
    body = bytes.dropLast(profile.codeByteCount)
    code = Array(bytes.suffix(profile.codeByteCount))
    let fields = try ProtobufFields(body.dropFirst(), known: 1...4)
    ratchetKey = try fields.key(1)
    guard let counter = try fields.number(2) else { throw .missingField(2) }
    self.counter = Int(counter)
    previous = Int(try fields.number(3) ?? 0)
    ciphertext = Array(try fields.bytes(4))
    guard !ciphertext.isEmpty, ciphertext.count.isMultiple(of: 16) else { throw .ciphertext }
  }

  /// The bytes before the code. Zeros are written, as libsignal does.
  static func body(
    ratchetKey: [UInt8], counter: UInt32, previous: UInt32, ciphertext: [UInt8]
  ) -> [UInt8] {
    var writer = ProtobufWriter(after: [version])
    writer.append(1, bytes: [keyType] + ratchetKey)
    writer.append(2, number: counter)
    writer.append(3, number: previous)
    writer.append(4, bytes: ciphertext)
    return writer.bytes
  }

  /// Accepts every newest version: libsignal in Rust announces 4, and writes version 3.
  static func checkVersion(of bytes: ArraySlice<UInt8>) throws(MalformedReason) {
    guard let first = bytes.first else { throw .tooShort }
    guard first >> 4 == version >> 4 else { throw .version(first) }
  }
}

/// A message that also has what its receiver needs to begin the session: libsignal's
/// `PreKeySignalMessage`.
struct KeyExchange {
  let preKeyID: UInt32
  let signedPreKeyID: UInt32
  let baseKey: [UInt8]
  let identityKey: [UInt8]
  /// The bytes of the `RatchetMessage` in it.
  let message: ArraySlice<UInt8>

  /// A key exchange without a pre-key is refused: its session would have no key that is deleted
  /// after its use.
  init(_ bytes: ArraySlice<UInt8>) throws(MalformedReason) {
    try RatchetMessage.checkVersion(of: bytes)
    let fields = try ProtobufFields(bytes.dropFirst(), known: 1...6)
    baseKey = try fields.key(2)
    identityKey = try fields.key(3)
    message = try fields.bytes(4)
    // The sender's device, which python-omemo leaves out; the stanza has it as well.
    _ = try fields.number(5)
    guard let signedPreKeyID = try fields.number(6) else { throw .missingField(6) }
    self.signedPreKeyID = signedPreKeyID
    guard let preKeyID = try fields.number(1) else { throw .noPreKey }
    self.preKeyID = preKeyID
  }

  /// The bytes of a key exchange.
  /// - Parameter registrationID: The device of the sender.
  static func bytes(
    _ pending: RatchetState.PendingExchange, baseKey: [UInt8], identityKey: [UInt8],
    message: [UInt8], registrationID: UInt32?
  ) -> [UInt8] {
    var writer = ProtobufWriter(after: [RatchetMessage.version])
    writer.append(1, number: pending.preKeyID)
    writer.append(2, bytes: [RatchetMessage.keyType] + baseKey)
    writer.append(3, bytes: [RatchetMessage.keyType] + identityKey)
    writer.append(4, bytes: message)
    if let registrationID { writer.append(5, number: registrationID) }
    writer.append(6, number: pending.signedPreKeyID)
    return writer.bytes
  }
}
