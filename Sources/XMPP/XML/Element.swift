/// One XML element with its namespace resolved (RFC 6120 §11): what a stanza is made of.
package struct Element: Hashable, Sendable {
  package enum Node: Hashable, Sendable {
    case element(Element)
    case text(String)
  }

  /// The local name.
  package var name: String
  /// The namespace's URI; empty where none is declared.
  package var namespace: String
  /// Attributes by name; one in a namespace is keyed by its prefix as `xml:lang` for the XML namespace, and by `{uri}name` else.
  package var attributes: [String: String]
  package var children: [Node]

  package init(
    _ name: String, _ namespace: String, _ attributes: [String: String] = [:],
    children: [Node] = []
  ) {
    self.name = name
    self.namespace = namespace
    self.attributes = attributes
    self.children = children
  }

  /// An element that holds nothing but `text`.
  package init(
    _ name: String, _ namespace: String, _ attributes: [String: String] = [:], text: String
  ) {
    self.init(name, namespace, attributes, children: [.text(text)])
  }

  /// An element that holds `elements`.
  package init(
    _ name: String, _ namespace: String, _ attributes: [String: String] = [:],
    _ elements: [Element]
  ) {
    self.init(name, namespace, attributes, children: elements.map { .element($0) })
  }

  package subscript(attribute: String) -> String? {
    get { attributes[attribute] }
    set { attributes[attribute] = newValue }
  }

  /// The child elements, in order.
  package var elements: [Element] {
    children.compactMap { if case .element(let element) = $0 { element } else { nil } }
  }

  /// The text directly inside, joined; child elements' texts are not part of it.
  package var text: String {
    var text = ""
    for case .text(let part) in children { text += part }
    return text
  }

  /// The first child element called `name` in `namespace`.
  package func first(_ name: String, _ namespace: String) -> Element? {
    for case .element(let element) in children
    where element.name == name && element.namespace == namespace { return element }
    return nil
  }

  /// All child elements called `name` in `namespace`.
  package func all(_ name: String, _ namespace: String) -> [Element] {
    elements.filter { $0.name == name && $0.namespace == namespace }
  }

  package mutating func append(_ element: Element) { children.append(.element(element)) }
}
