import Crypto
import XML

/// The `<encrypted/>` of a message (XEP-0384 0.3.0 §4.4, §4.5).
package struct OmemoEncrypted: Hashable, Sendable {
  /// A key for one device.
  package struct Key: Hashable, Sendable {
    /// The id of the device. Its account is not named: two accounts may have devices with one id.
    package let recipient: UInt32
    /// Indicates whether the key comes in a key exchange, which begins a session.
    package let isKeyExchange: Bool
    /// The message of the session, at most 4096 bytes.
    package let bytes: [UInt8]

    package init(recipient: UInt32, isKeyExchange: Bool, bytes: [UInt8]) {
      self.recipient = recipient
      self.isKeyExchange = isKeyExchange
      self.bytes = bytes
    }
  }

  package let senderDevice: UInt32
  package let keys: [Key]
  /// 12 or 16 bytes; never `nil` where there is a payload.
  package let iv: [UInt8]?
  /// The encrypted text; `nil`: the message carries keys only.
  package let payload: [UInt8]?

  package init(senderDevice: UInt32, keys: [Key], iv: [UInt8]?, payload: [UInt8]?) {
    self.senderDevice = senderDevice
    self.keys = keys
    self.iv = iv
    self.payload = payload
  }

  /// Reads an `<encrypted/>`.
  /// - Parameter device: the device whose keys are read, at most 8; the others may be anything.
  ///   `nil`: all devices.
  /// - Throws: `OmemoElementError`, also if there are keys for the device and none is readable. No
  ///   keys at all means that the message is for other devices.
  package init(_ element: Element, for device: UInt32? = nil) throws(OmemoElementError) {
    let namespace = XEP0384Omemo.namespace
    guard element.is("encrypted", namespace), !element.exceedsLimit else {
      throw .missing(.encrypted)
    }
    guard let header = element.first("header", namespace) else { throw .missing(.header) }
    guard let sender = XEP0384Omemo.number(header["sid"], in: XEP0384Omemo.deviceIDs) else {
      throw .wrongID(.sender)
    }
    senderDevice = sender
    keys = try Self.keys(in: header, for: device)
    let written = element.first("payload", namespace)
    // A text is as long as a stanza may be; the parser has a limit for that.
    payload = try written.map { (element) throws(OmemoElementError) in
      try XEP0384Omemo.bytes(of: element, .payload, limit: Self.longestPayload)
    }
    guard let vector = header.first("iv", namespace) else {
      guard written == nil else { throw .missing(.iv) }
      iv = nil
      return
    }
    let bytes = try XEP0384Omemo.bytes(of: vector, .iv, limit: 16)
    let isUsable = bytes.count == 12 || bytes.count == 16
    guard isUsable || written == nil else { throw .wrongLength(.iv) }
    iv = isUsable ? bytes : nil
  }

  /// Longer than any stanza that is read, in bytes.
  private static let longestPayload = 8 << 20

  private static func keys(
    in header: Element, for device: UInt32?
  ) throws(OmemoElementError) -> [Key] {
    var keys: [Key] = []
    var failure: OmemoElementError?
    let candidates = header.all("key", XEP0384Omemo.namespace).prefix(XEP0384Omemo.keyLimit)
    for element in candidates {
      guard let recipient = XEP0384Omemo.number(element["rid"], in: XEP0384Omemo.deviceIDs),
        device == nil || recipient == device
      else { continue }
      do throws(OmemoElementError) {
        let bytes = try XEP0384Omemo.bytes(of: element, .key, limit: XEP0384Omemo.longestKey)
        guard !bytes.isEmpty else { throw .wrongLength(.key) }
        keys.append(
          Key(
            recipient: recipient,
            isKeyExchange: element["prekey"] == "true" || element["prekey"] == "1",
            bytes: bytes))
      } catch {
        failure = error
      }
      if device != nil, keys.count == XEP0384Omemo.keyLimitPerDevice { break }
    }
    if device != nil, keys.isEmpty, let failure { throw failure }
    return keys
  }

  /// The `<encrypted/>` to send.
  package var element: Element {
    let namespace = XEP0384Omemo.namespace
    var header = Element(
      "header", namespace, ["sid": String(senderDevice)],
      keys.map { key in
        var element = Element(
          "key", namespace, ["rid": String(key.recipient)], text: Base64.encode(key.bytes))
        if key.isKeyExchange { element["prekey"] = "true" }
        return element
      })
    if let iv { header.append(Element("iv", namespace, text: Base64.encode(iv))) }
    var encrypted = Element("encrypted", namespace, [:], [header])
    if let payload {
      encrypted.append(Element("payload", namespace, text: Base64.encode(payload)))
    }
    return encrypted
  }
}

extension MessageStanza {
  /// The element of OMEMO 0.3.0, whatever the type of the message: messages that carry keys only
  /// come without a body and as `normal`. `nil`: there is none.
  package var omemo: Element? { element.first("encrypted", XEP0384Omemo.namespace) }
}
