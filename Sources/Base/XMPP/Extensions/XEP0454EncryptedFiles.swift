import Crypto

/// The URL of a file that is encrypted with AES-256-GCM (XEP-0454): its address, and in the
/// fragment what decrypts it.
///
/// The fragment never leaves this client, except inside an encrypted message. Its description has
/// only the address, so that no log contains a key.
package struct XEP0454EncryptedFile: Hashable, Sendable {
  /// The `https:` address of the encrypted file, without a fragment.
  package let address: String
  /// 12 or 16 bytes.
  package let iv: [UInt8]
  /// 32 bytes.
  package let key: [UInt8]

  /// The scheme of the URL: the file itself is fetched by `https`.
  private static let scheme = "aesgcm://"
  private static let httpsScheme = "https://"
  /// Longer texts are no URLs of files, in bytes.
  private static let lengthLimit = 4096
  /// The most bytes of a preview beside the URL: a small picture as a `data:` URL.
  private static let previewLimit = 256 << 10
  private static let keySize = 32

  /// Returns `nil` if `address` is no `https:` URL with a host and a path and without a fragment,
  /// or `iv` or `key` has another length.
  package init?(address: String, iv: [UInt8], key: [UInt8]) {
    guard address.utf8.count <= Self.lengthLimit,
      Self.hasScheme(address, Self.httpsScheme),
      Self.isLocation(address.utf8.dropFirst(Self.httpsScheme.utf8.count)),
      iv.count == 12 || iv.count == 16, key.count == Self.keySize
    else { return nil }
    self.address = address
    self.iv = iv
    self.key = key
  }

  /// Reads a URL: `aesgcm://HOST/PATH#IVKEY` with 88 or 96 hexadecimal digits.
  package init?(_ text: String) {
    guard text.utf8.count <= Self.lengthLimit, Self.hasScheme(text, Self.scheme) else {
      return nil
    }
    let location = text.utf8.dropFirst(Self.scheme.utf8.count)
    guard let mark = location.firstIndex(of: UInt8(ascii: "#")) else { return nil }
    guard let secret = Crypto.bytes(hex: String(text[text.utf8.index(after: mark)...])),
      secret.count > Self.keySize
    else { return nil }
    self.init(
      address: Self.httpsScheme + String(text[location.startIndex..<mark]),
      iv: Array(secret.dropLast(Self.keySize)), key: Array(secret.suffix(Self.keySize)))
  }

  /// Reads the body of a message: such a URL alone, or with a preview as a `data:` URL on a second
  /// line. Any other text beside it makes it an ordinary message.
  package init?(body: String) {
    let lines = body.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    guard (1...2).contains(lines.count) else { return nil }
    if lines.count == 2 {
      let preview = lines[1]
      guard preview.count <= Self.previewLimit, preview.starts(with: "data:".utf8),
        preview.allSatisfy(Self.isVisible)
      else { return nil }
    }
    self.init(String(Substring(lines[0])))
  }

  /// The URL, to be written into an encrypted message and nowhere else.
  package var text: String {
    Self.scheme + String(Substring(address.utf8.dropFirst(Self.httpsScheme.utf8.count))) + "#"
      + hex(iv + key)
  }

  private static func hasScheme(_ text: String, _ scheme: String) -> Bool {
    text.utf8.prefix(scheme.utf8.count).elementsEqual(scheme.utf8) {
      $0 == $1 || (0x61...0x7A).contains($1) && $0 | 0x20 == $1
    }
  }

  /// Returns whether a text is a host, perhaps with a port, and a path: visible ASCII without user
  /// information, backslashes, quotation marks and a fragment.
  private static func isLocation(_ text: some Collection<UInt8>) -> Bool {
    let host = text.prefix { $0 != UInt8(ascii: "/") }
    guard !host.isEmpty, host.count < text.count else { return false }
    return host.allSatisfy { !"@?".utf8.contains($0) }
      && text.allSatisfy { isVisible($0) && !"#\\\"<>^`{|}".utf8.contains($0) }
  }

  private static func isVisible(_ byte: UInt8) -> Bool { (0x21...0x7E).contains(byte) }
}

extension XEP0454EncryptedFile: CustomStringConvertible {
  package var description: String { address }
}
