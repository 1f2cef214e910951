/// A version of the encryption between two devices (OMEMO). Sessions of two versions are
/// separate, and every value of this module carries the version to which it belongs.
package enum RatchetVersion: Int, Sendable, Hashable {
  /// Version 0.3.0 of the specification, with the namespace `eu.siacs.conversations.axolotl`: the
  /// double ratchet and the message bytes of libsignal.
  case v030 = 1
  /// The namespace `urn:xmpp:omemo:2`. Not available yet: functions throw
  /// `RatchetError.unsupportedVersion`.
  case v2 = 2

  /// What distinguishes this version from the others.
  func profile() throws(RatchetError) -> RatchetProfile {
    switch self {
    case .v030: .v030
    case .v2: throw .unsupportedVersion(self)
    }
  }
}

/// The parameters of X3DH and of the double ratchet that differ between versions.
struct RatchetProfile: Sendable {
  /// The `info` of HKDF for the first root key.
  let agreementInfo: [UInt8]
  /// The `info` of HKDF for the root keys after it.
  let rootInfo: [UInt8]
  /// The `info` of HKDF for the keys of a message.
  let messageInfo: [UInt8]
  /// The length of the authentication code of a message, in bytes.
  let codeByteCount: Int
  /// The public key in the form that is on the wire, signed, and bound by the code.
  let wireKey: @Sendable ([UInt8]) -> [UInt8]

  static let v030 = RatchetProfile(
    agreementInfo: Array("WhisperText".utf8), rootInfo: Array("WhisperRatchet".utf8),
    messageInfo: Array("WhisperMessageKeys".utf8), codeByteCount: 8,
    wireKey: { [RatchetMessage.keyType] + $0 })

  /// The bytes that the code of a message binds in addition to the message: in 0.3.0 the identity
  /// key of its sender, then that of its receiver.
  func associatedData(sender: [UInt8], receiver: [UInt8]) -> [UInt8] {
    wireKey(sender) + wireKey(receiver)
  }
}
