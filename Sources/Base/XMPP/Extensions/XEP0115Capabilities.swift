import Crypto
import XML

/// A short identifier of an entity's features, sent with presence (XEP-0115).
package struct XEP0115Capabilities: Hashable, Sendable {
  /// The program's web address.
  package let node: String
  /// The verification string (§5).
  package let version: String
  /// The hash function's IANA name; `nil` in the legacy format.
  package let hash: String?

  package init(node: String, version: String, hash: String? = "sha-1") {
    self.node = node
    self.version = version
    self.hash = hash
  }

  /// Reads a `<c/>`; `nil` when `element` is something else, or lacks `node` or `ver`.
  package init?(_ element: Element) {
    guard element.is("c", Namespace.capabilities), let node = element["node"],
      let version = element["ver"]
    else { return nil }
    self.init(node: node, version: version, hash: element["hash"])
  }

  /// The `<c/>` for presences.
  package var element: Element {
    var element = Element("c", Namespace.capabilities, ["node": node, "ver": version])
    element["hash"] = hash
    return element
  }

  /// Returns the string that is hashed (§5.1): identities, features and forms in a fixed order.
  package static func verificationInput(_ info: XEP0030Discovery) -> String {
    var text = ""
    let identities = info.identities.map {
      "\($0.category)/\($0.type)/\($0.language ?? "")/\($0.name ?? "")"
    }
    for identity in sorted(identities) { text += identity + "<" }
    for feature in sorted(Array(info.features)) { text += feature + "<" }
    let forms = info.forms.filter { $0.formType != nil }
    for form in forms.sorted(by: { precedes($0.formType ?? "", $1.formType ?? "") }) {
      text += (form.formType ?? "") + "<"
      let fields = form.fields.filter { $0.name != nil && $0.name != "FORM_TYPE" }
      for field in fields.sorted(by: { precedes($0.name ?? "", $1.name ?? "") }) {
        text += (field.name ?? "") + "<"
        for value in sorted(field.values) { text += value + "<" }
      }
    }
    return text
  }

  /// Returns the verification string of `info` with SHA-1, which all clients support (§5.1).
  /// - Throws: `CryptoError`.
  package static func version(of info: XEP0030Discovery, crypto: CryptoLibrary) throws -> String {
    Base64.encode(try crypto.hash(Array(verificationInput(info).utf8), by: .sha1))
  }

  /// Compares by octets (RFC 4790 i;octet), not by Swift's order.
  private static func precedes(_ a: String, _ b: String) -> Bool {
    a.utf8.lexicographicallyPrecedes(b.utf8)
  }

  private static func sorted(_ texts: [String]) -> [String] { texts.sorted(by: precedes) }
}
