import XML

/// A digest and its hash function (XEP-0300).
package struct XEP0300Hash: Hashable, Sendable {
  package static let namespace = "urn:xmpp:hashes:2"

  /// The name in the registry of hash functions, such as `sha-256`.
  package let algorithm: String
  /// The digest in Base64.
  package let value: String

  package init(algorithm: String, value: String) {
    self.algorithm = algorithm
    self.value = value
  }

  /// Reads a `<hash/>`; `nil` when `element` is something else, does not name its hash function, or
  /// is longer than any digest.
  package init?(_ element: Element) {
    guard element.is("hash", Self.namespace), let algorithm = element["algo"],
      algorithm.utf8.count <= Self.longest
    else { return nil }
    let value = element.text
    guard value.utf8.count <= Self.longest else { return nil }
    self.init(algorithm: algorithm, value: value)
  }

  /// The longest name and the longest digest that are read, in bytes: 4096 bits have 684.
  private static let longest = 1024

  /// The `<hash/>` to send.
  package var element: Element {
    Element("hash", Self.namespace, ["algo": algorithm], text: value)
  }
}
