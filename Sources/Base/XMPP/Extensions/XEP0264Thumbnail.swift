import Crypto
import XML

/// A small version of a picture that comes with the message itself (XEP-0264), in a `data:` URI
/// (RFC 2397). Thumbnails that would have to be downloaded are ignored.
package struct XEP0264Thumbnail: Hashable, Sendable {
  package static let namespace = "urn:xmpp:thumbs:1"
  /// The largest thumbnail, in bytes.
  package static let limit = 64 << 10

  /// The longest text before the comma that is compared, in bytes.
  private static let longestKind = 64

  /// The bytes of a PNG or JPEG file, according to its sender: at least 1, at most `limit`.
  package let bytes: [UInt8]

  package init(bytes: [UInt8]) { self.bytes = bytes }

  /// Reads a `<thumbnail/>`; `nil` when `element` is something else, or not embedded.
  package init?(_ element: Element) {
    guard element.is("thumbnail", Self.namespace), let address = element["uri"],
      // Check the length before copying anything: Base64 has four characters for three bytes.
      address.utf8.count <= Self.limit / 3 * 4 + 64,
      let comma = address.utf8.firstIndex(of: UInt8(ascii: ",")),
      address[..<comma].utf8.count <= Self.longestKind
    else { return nil }
    let kind = address[..<comma].lowercased()
    guard ["data:image/png;base64", "data:image/jpeg;base64"].contains(kind),
      let bytes = Base64.decode(String(address[comma...].dropFirst())),
      (1...Self.limit).contains(bytes.count)
    else { return nil }
    self.bytes = bytes
  }
}
