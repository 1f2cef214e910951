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

  /// Reads a `<hash/>`; `nil` when `element` is something else, or does not name its hash function.
  package init?(_ element: Element) {
    guard element.is("hash", Self.namespace), let algorithm = element["algo"] else { return nil }
    self.init(algorithm: algorithm, value: element.text)
  }

  /// The `<hash/>` to send.
  package var element: Element {
    Element("hash", Self.namespace, ["algo": algorithm], text: value)
  }
}
