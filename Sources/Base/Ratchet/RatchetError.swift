import Crypto

/// The reason why a session could not begin, or a message could not be sealed or opened. Nothing
/// changes when it is thrown.
package enum RatchetError: Error, Equatable, Sendable {
  /// The message, or one with its number, was opened before, or its key was dropped.
  case duplicate
  /// No key was kept for the message: it belongs to the rest of an earlier chain that was given up,
  /// or its session is not kept. It may have been opened before.
  case tooLate
  /// The message would skip this number of messages before it, which is over the limit, in one
  /// session or in all that may have its chain.
  case tooManySkipped(Int)
  /// The authentication code is not right: the message was changed, or the session is out of step.
  case wrongCode
  /// There is no session, and the message is no key exchange.
  case noSession
  /// The key exchange uses a pre-key that this device does not have (any more).
  case unknownPreKey(UInt32)
  /// The key exchange uses a signed pre-key that this device does not have (any more).
  case unknownSignedPreKey(UInt32)
  /// The bytes are not a message, or those of a bundle not keys.
  case malformed(MalformedReason)
  /// The device had another identity key before.
  case identityChanged(known: [UInt8], new: [UInt8])
  /// The signature of a bundle is not that of its identity key.
  case wrongSignature
  /// A public key of which no secret results, because it is of small order.
  case refusedKey
  /// The chain of sent messages has no number left.
  case chainExhausted
  case unsupportedVersion(RatchetVersion)
  /// libcrypto is missing or failed.
  case crypto(CryptoError)

  init(_ error: CryptoError) {
    self = error == .refused ? .refusedKey : .crypto(error)
  }
}

/// What is wrong with the bytes of a message or a bundle.
package enum MalformedReason: Error, Equatable, Sendable {
  case tooShort
  case tooLong
  /// The first byte is that of another version; holds it.
  case version(UInt8)
  /// The fields are not those of a protocol buffer.
  case encoding
  /// A field is missing; holds its number.
  case missingField(Int)
  /// A field appears twice; holds its number.
  case repeatedField(Int)
  /// A field has another type, or a number that is too large; holds its number.
  case field(Int)
  /// A public key does not have its length or its type.
  case publicKey
  /// A key exchange, or a bundle, has no pre-key.
  case noPreKey
  /// The text is not a number of blocks.
  case ciphertext
  /// The code was right, and the text was not padded.
  case padding
}
