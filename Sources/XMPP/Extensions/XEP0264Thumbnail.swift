import Crypto

/// A small picture of a larger one that comes with the message itself (XEP-0264), in a `data:` address (RFC 2397). What would
/// have to be fetched from somewhere is passed over.
package struct XEP0264Thumbnail: Hashable, Sendable {
  package static let namespace = "urn:xmpp:thumbs:1"
  /// The most bytes that it has.
  package static let limit = 64 << 10

  /// The bytes of a PNG or JPEG file, as far as its sender tells: at least 1, at most `limit`.
  package let bytes: [UInt8]

  package init(bytes: [UInt8]) { self.bytes = bytes }

  /// Reads a `<thumbnail/>`; `nil` when `element` is none that can be shown as it is.
  package init?(_ element: Element) {
    guard element.is("thumbnail", Self.namespace), let address = element["uri"],
      // Measured before anything is made of it: Base64 has four letters for three bytes.
      address.utf8.count <= Self.limit / 3 * 4 + 64,
      let comma = address.firstIndex(of: ",")
    else { return nil }
    let kind = address[..<comma].lowercased()
    guard ["data:image/png;base64", "data:image/jpeg;base64"].contains(kind),
      let bytes = Base64.decode(String(address[comma...].dropFirst())),
      (1...Self.limit).contains(bytes.count)
    else { return nil }
    self.bytes = bytes
  }
}
