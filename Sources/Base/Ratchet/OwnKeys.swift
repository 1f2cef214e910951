import Crypto

/// The private keys of this device.
package struct OwnKeys: Sendable {
  package let identity: IdentityKey
  /// The id of this device, which libsignal calls its registration.
  package let registrationID: UInt32
  /// The private keys of the signed pre-keys that others may still use, by their ids.
  package let signedPreKeys: [UInt32: [UInt8]]
  /// The private keys of the pre-keys that are not deleted yet, by their ids.
  package let preKeys: [UInt32: [UInt8]]
  /// The base keys of the sessions that were received with these pre-keys
  /// (`DoubleRatchet.Opened.usedPreKeyID`). They are kept as long as the pre-keys, so that a copy
  /// of a key exchange begins no second session after its own one is no longer kept.
  package let usedBaseKeys: Set<[UInt8]>

  package init(
    identity: IdentityKey, registrationID: UInt32, signedPreKeys: [UInt32: [UInt8]],
    preKeys: [UInt32: [UInt8]], usedBaseKeys: Set<[UInt8]> = []
  ) {
    self.identity = identity
    self.registrationID = registrationID
    self.signedPreKeys = signedPreKeys
    self.preKeys = preKeys
    self.usedBaseKeys = usedBaseKeys
  }
}

/// Logs and dumps show no private key.
extension OwnKeys: CustomStringConvertible, CustomReflectable {
  package var description: String {
    "keys of device \(registrationID) with \(preKeys.count) pre-keys"
  }
  package var customMirror: Mirror { Mirror(self, children: ["identity": identity]) }
}
