import XML

/// The name and version of an entity's software (XEP-0092).
package struct XEP0092Version: Hashable, Sendable {
  package let name: String
  package let version: String?
  package let system: String?

  package init(name: String, version: String?, system: String? = nil) {
    self.name = name
    self.version = version
    self.system = system
  }

  /// Reads a `<query/>`; `nil` when `element` is something else. Texts are limited to
  /// `String.longestText`.
  package init?(_ element: Element) {
    guard element.is("query", Namespace.version) else { return nil }
    name = element.first("name", Namespace.version)?.text.beginning ?? ""
    version = element.first("version", Namespace.version)?.text.beginning
    system = element.first("os", Namespace.version)?.text.beginning
  }

  package var element: Element {
    var query = Element(
      "query", Namespace.version, [:], [Element("name", Namespace.version, text: name)])
    if let version { query.append(Element("version", Namespace.version, text: version)) }
    if let system { query.append(Element("os", Namespace.version, text: system)) }
    return query
  }
}
