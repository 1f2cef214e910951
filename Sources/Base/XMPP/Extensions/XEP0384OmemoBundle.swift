import Crypto
import XML

/// The public keys of a device (XEP-0384 0.3.0 §4.2). Its signature is not checked here.
package struct OmemoBundle: Hashable, Sendable {
  /// A pre-key with its id.
  package struct PreKey: Hashable, Sendable {
    package let id: UInt32
    /// The X25519 public key, 32 bytes.
    package let key: [UInt8]

    package init(id: UInt32, key: [UInt8]) {
      self.id = id
      self.key = key
    }
  }

  /// The identity key in its X25519 form, 32 bytes.
  package let identityKey: [UInt8]
  package let signedPreKey: PreKey
  /// The signature of the signed pre-key by the identity key, 64 bytes: over the byte 5 and the
  /// key.
  package let signature: [UInt8]
  /// 1 to 1000, with distinct ids and keys.
  package let preKeys: [PreKey]

  package init(
    identityKey: [UInt8], signedPreKey: PreKey, signature: [UInt8], preKeys: [PreKey]
  ) {
    self.identityKey = identityKey
    self.signedPreKey = signedPreKey
    self.signature = signature
    self.preKeys = preKeys
  }

  /// Reads a `<bundle/>`. A bundle with one wrong key is not used at all.
  /// - Throws: `OmemoElementError`.
  package init(_ element: Element) throws(OmemoElementError) {
    let namespace = XEP0384Omemo.namespace
    guard element.is("bundle", namespace), !element.exceedsLimit else { throw .missing(.bundle) }
    identityKey = try XEP0384Omemo.key(of: element.first("identityKey", namespace), .identityKey)
    let signed = element.first("signedPreKeyPublic", namespace)
    let signedKey = try XEP0384Omemo.key(of: signed, .signedPreKey)
    guard let id = XEP0384Omemo.number(signed?["signedPreKeyId"], in: XEP0384Omemo.keyIDs) else {
      throw .wrongID(.signedPreKey)
    }
    signedPreKey = PreKey(id: id, key: signedKey)
    guard let written = element.first("signedPreKeySignature", namespace) else {
      throw .missing(.signature)
    }
    signature = try XEP0384Omemo.bytes(of: written, .signature, limit: 64)
    guard signature.count == 64 else { throw .wrongLength(.signature) }
    preKeys = try Self.preKeys(in: element.first("prekeys", namespace))
  }

  private static func preKeys(in list: Element?) throws(OmemoElementError) -> [PreKey] {
    guard let found = list?.all("preKeyPublic", XEP0384Omemo.namespace), !found.isEmpty else {
      throw .missing(.preKeys)
    }
    guard found.count <= XEP0384Omemo.preKeyLimit else { throw .tooMany(.preKeys, found.count) }
    var (ids, keys): (Set<UInt32>, Set<[UInt8]>) = ([], [])
    var preKeys: [PreKey] = []
    preKeys.reserveCapacity(found.count)
    for element in found {
      guard let id = XEP0384Omemo.number(element["preKeyId"], in: XEP0384Omemo.keyIDs) else {
        throw .wrongID(.preKeys)
      }
      let key = try XEP0384Omemo.key(of: element, .preKeys)
      guard ids.insert(id).inserted, keys.insert(key).inserted else { throw .repeated(.preKeys) }
      preKeys.append(PreKey(id: id, key: key))
    }
    return preKeys
  }

  /// Reads the response to `request(of:device:)`; `nil` if the node has no item.
  /// - Throws: `OmemoElementError`.
  package init?(answer: Element) throws(OmemoElementError) {
    guard let item = XEP0384Omemo.current(XEP0060.items(in: answer)) else { return nil }
    guard let bundle = item.first("bundle", XEP0384Omemo.namespace) else {
      throw .missing(.bundle)
    }
    try self.init(bundle)
  }

  package var element: Element {
    let namespace = XEP0384Omemo.namespace
    return Element(
      "bundle", namespace, [:],
      [
        Element(
          "signedPreKeyPublic", namespace, ["signedPreKeyId": String(signedPreKey.id)],
          text: XEP0384Omemo.text(ofKey: signedPreKey.key)),
        Element("signedPreKeySignature", namespace, text: Base64.encode(signature)),
        Element("identityKey", namespace, text: XEP0384Omemo.text(ofKey: identityKey)),
        Element(
          "prekeys", namespace, [:],
          preKeys.map {
            Element(
              "preKeyPublic", namespace, ["preKeyId": String($0.id)],
              text: XEP0384Omemo.text(ofKey: $0.key))
          }),
      ])
  }

  /// Returns a request for the bundle of a device.
  package static func request(of jid: JID, device: UInt32) -> Element {
    XEP0384Omemo.request(XEP0384Omemo.bundleNode(of: device), of: jid)
  }

  /// Returns a request that publishes it as that of the own device.
  /// - Parameter hasOptions: `false` for a server without publish-options.
  package func publication(of device: UInt32, hasOptions: Bool = true) -> Element {
    XEP0384Omemo.publication(
      of: element, in: XEP0384Omemo.bundleNode(of: device), hasOptions: hasOptions)
  }
}
