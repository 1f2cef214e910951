import BoundedText
import Crypto

/// The identity keys of an account's devices as an `xmpp:` URI, which clients show as a QR code:
/// `xmpp:bob@example.org?omemo-sid-123=HEX;omemo-sid-456=HEX`.
package struct OmemoURI: Hashable, Sendable {
  /// The bare JID of the account.
  package let jid: JID
  /// The identity keys in their X25519 form, 32 bytes each, by device id: 1 to 100.
  package let keys: [UInt32: [UInt8]]

  private static let prefix = "omemo-sid-"
  /// Longer texts are not read, in bytes.
  private static let lengthLimit = 16 << 10

  /// Returns `nil` if there are no keys or too many, an id or a key cannot be one, or `jid` is not
  /// an account.
  package init?(jid: JID, keys: [UInt32: [UInt8]]) {
    guard jid.isBare, jid.local != nil, (1...XEP0384Omemo.deviceLimit).contains(keys.count),
      keys.allSatisfy({ XEP0384Omemo.deviceIDs.contains($0.key) && $0.value.count == 32 })
    else { return nil }
    self.jid = jid
    self.keys = keys
  }

  /// Reads a URI (RFC 5122 §2). Other parameters are ignored; a key that is malformed, or a device
  /// with two keys, makes it none: nothing of such a code is trusted.
  package init?(_ text: String) {
    guard text.utf8.count <= Self.lengthLimit, let jid = JID(uri: text) else { return nil }
    let withoutFragment = text.utf8.prefix { $0 != UInt8(ascii: "#") }
    guard let mark = withoutFragment.firstIndex(of: UInt8(ascii: "?")) else { return nil }
    let query = withoutFragment[withoutFragment.index(after: mark)...]
    var keys: [UInt32: [UInt8]] = [:]
    for parameter in query.split(separator: UInt8(ascii: ";"))
    where parameter.starts(with: Self.prefix.utf8) {
      let pair = parameter.dropFirst(Self.prefix.utf8.count)
        .split(separator: UInt8(ascii: "="), omittingEmptySubsequences: false)
      guard pair.count == 2,
        let id = XEP0384Omemo.number(String(Substring(pair[0])), in: XEP0384Omemo.deviceIDs),
        let key = Crypto.bytes(hex: String(Substring(pair[1]))),
        keys.updateValue(key, forKey: id) == nil
      else { return nil }
    }
    self.init(jid: jid, keys: keys)
  }

  /// The URI, with the devices by ascending id.
  package var text: String {
    let account = [jid.local, jid.domain].compactMap { $0.map(PercentEncoding.encoded) }
      .joined(separator: "@")
    let parameters = keys.sorted { $0.key < $1.key }
      .map { "\(Self.prefix)\($0.key)=\(hex($0.value))" }
    return "xmpp:" + account + "?" + parameters.joined(separator: ";")
  }
}
