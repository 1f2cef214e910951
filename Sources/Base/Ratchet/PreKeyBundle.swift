/// The published keys of another device, with which a session can begin while it is offline
/// (OMEMO 0.3.0 §4.3).
package struct PreKeyBundle: Sendable, Hashable {
  /// A key that its device accepts from one sender.
  package struct PreKey: Sendable, Hashable {
    package let id: UInt32
    /// The X25519 key, 32 bytes.
    package let key: [UInt8]

    package init(id: UInt32, key: [UInt8]) {
      self.id = id
      self.key = key
    }
  }

  /// The version whose node the bundle was published on.
  package let version: RatchetVersion
  /// The identity key in its X25519 form, 32 bytes.
  package let identityKey: [UInt8]
  package let signedPreKeyID: UInt32
  /// The X25519 key, 32 bytes.
  package let signedPreKey: [UInt8]
  /// The signature of the identity key over `signedPreKey`, 64 bytes. `DoubleRatchet.begin` checks
  /// it.
  package let signedPreKeySignature: [UInt8]
  package let preKeys: [PreKey]

  package init(
    version: RatchetVersion = .v030, identityKey: [UInt8], signedPreKeyID: UInt32,
    signedPreKey: [UInt8], signedPreKeySignature: [UInt8], preKeys: [PreKey]
  ) {
    self.version = version
    self.identityKey = identityKey
    self.signedPreKeyID = signedPreKeyID
    self.signedPreKey = signedPreKey
    self.signedPreKeySignature = signedPreKeySignature
    self.preKeys = preKeys
  }
}
