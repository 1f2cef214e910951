import BoundedText

/// An XML element with its namespace resolved (RFC 6120 §11), the building block of stanzas.
///
/// It is a value. An element from the parser is a position in its stanza's tape (`StanzaTape`), and
/// its names and texts become strings on demand; a change converts it to ordinary storage.
package struct Element: Sendable {
  /// A child of an element.
  package enum Node: Hashable, Sendable {
    case element(Element)
    case text(String)
  }

  /// The storage: exactly one of `tape` and `built` is set.
  private var tape: StanzaTape?
  private var built: BuiltElement?
  /// The index of the element's first word in the tape.
  private var position: Int32 = 0

  package init(
    _ name: String, _ namespace: String, _ attributes: Attributes = [:], children: [Node] = []
  ) {
    built = BuiltElement(name, namespace, attributes, children)
  }

  /// Creates an element that contains only `text`.
  package init(
    _ name: String, _ namespace: String, _ attributes: Attributes = [:], text: String
  ) {
    self.init(name, namespace, attributes, children: [.text(text)])
  }

  /// Creates an element that contains `elements`.
  package init(
    _ name: String, _ namespace: String, _ attributes: Attributes = [:], _ elements: [Element]
  ) {
    self.init(name, namespace, attributes, children: elements.map { .element($0) })
  }

  /// Creates an element at a position of a tape.
  init(tape: StanzaTape, position: Int) {
    self.tape = tape
    self.position = Int32(truncatingIfNeeded: position)
  }

  /// Creates a substitute for a stanza that the parser did not read because it exceeds a limit.
  /// - Parameter attributes: Those that were read, and matter.
  init(skipped name: String, _ attributes: Attributes) {
    let element = BuiltElement(name, Namespace.client, attributes, [])
    element.exceedsLimit = true
    built = element
  }

  /// Indicates whether it is a stanza that exceeds a limit of the parser, or is the message in such
  /// a stanza, or an element between the two: attributes or children of it may be missing.
  package var exceedsLimit: Bool {
    tape.map { $0.openElements.contains(Int(position)) } ?? built?.exceedsLimit ?? false
  }

  /// The local name.
  package var name: String {
    get { tape.map { $0.name(at: Int(position)) } ?? own.name }
    set { makeOwn().name = newValue }
  }

  /// The namespace's URI; empty when none is declared.
  package var namespace: String {
    get { tape.map { $0.namespace(at: Int(position)) } ?? own.namespace }
    set { makeOwn().namespace = newValue }
  }

  /// The attributes by name. An attribute in a namespace has the key `xml:lang` (for the XML
  /// namespace) or `{uri}name`.
  package var attributes: Attributes {
    get { tape.map { $0.attributes(at: Int(position)) } ?? own.attributes }
    _modify {
      let own = makeOwn()
      yield &own.attributes
    }
  }

  /// Child elements and texts, in order.
  package var children: [Node] {
    get { tape.map { $0.children(at: Int(position)) } ?? own.children }
    _modify {
      let own = makeOwn()
      yield &own.children
    }
  }

  package subscript(attribute: String) -> String? {
    get {
      tape.map { $0.attribute(attribute, at: Int(position)) } ?? own.attributes[attribute]
    }
    set { attributes[attribute] = newValue }
  }

  /// The child elements, in order.
  package var elements: [Element] {
    if let tape { return tape.elements(at: Int(position)) }
    return own.children.compactMap {
      if case .element(let element) = $0 { element } else { nil }
    }
  }

  /// The text directly inside, joined; the texts of child elements are not part of it.
  package var text: String {
    if let tape { return tape.text(at: Int(position)) }
    var text = ""
    for case .text(let part) in own.children { text += part }
    return own.children.count > 1 ? text.bounded : text
  }

  /// Returns the beginning of `text`, of about `limit` bytes, or more: for a look at how a text
  /// begins that may be as long as a stanza.
  package func textBeginning(bytes limit: Int) -> String {
    tape.map { $0.textBeginning(at: Int(position), bytes: limit) } ?? text
  }

  /// Returns whether this element has the name `name` in `namespace`.
  package func `is`(_ name: String, _ namespace: String) -> Bool {
    if let tape { return tape.isElement(at: Int(position), name, namespace) }
    return own.name == name && own.namespace == namespace
  }

  /// Returns the first child element with the name `name` in `namespace`.
  package func first(_ name: String, _ namespace: String) -> Element? {
    if let tape { return tape.first(name, namespace, in: Int(position)) }
    for case .element(let element) in own.children where element.is(name, namespace) {
      return element
    }
    return nil
  }

  /// Returns all child elements with the name `name` in `namespace`.
  package func all(_ name: String, _ namespace: String) -> [Element] {
    if let tape { return tape.all(name, namespace, in: Int(position)) }
    return elements.filter { $0.is(name, namespace) }
  }

  /// Returns all child elements in `namespace`.
  package func all(in namespace: String) -> [Element] {
    if let tape { return tape.all(in: namespace, of: Int(position)) }
    return elements.filter { $0.namespace == namespace }
  }

  package mutating func append(_ element: Element) { children.append(.element(element)) }

  /// The approximate memory it takes, in bytes; for a parsed element, that of the whole stanza.
  package var weight: Int {
    if let tape { return tape.weight }
    let attributes = own.attributes.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count }
    return own.children.reduce(own.name.utf8.count + own.namespace.utf8.count + attributes) {
      sum, node in
      switch node {
      case .text(let text): sum + text.utf8.count
      case .element(let element): sum + element.weight
      }
    }
  }

  /// The same element with storage of its own. A part of a stanza that is kept would otherwise keep
  /// the whole stanza in memory. The recursion is bounded: the parser limits how deeply elements
  /// nest.
  package var detached: Element {
    Element(
      name, namespace, attributes,
      children: children.map {
        if case .element(let element) = $0 { .element(element.detached) } else { $0 }
      })
  }

  private var own: BuiltElement {
    guard let built else { preconditionFailure("an element has a tape or storage of its own") }
    return built
  }

  /// Returns storage that only this element refers to, for a change.
  private mutating func makeOwn() -> BuiltElement {
    if tape == nil, isKnownUniquelyReferenced(&built) { return own }
    let copy = BuiltElement(name, namespace, attributes, children)
    copy.exceedsLimit = exceedsLimit
    built = copy
    tape = nil
    return copy
  }
}

/// The storage of an element that was changed, or did not come from the parser.
///
/// Unchecked: only `Element` changes it, and only while a single `Element` refers to it.
private final class BuiltElement: @unchecked Sendable {
  var name: String
  var namespace: String
  var attributes: Attributes
  var children: [Element.Node]
  var exceedsLimit = false

  init(
    _ name: String, _ namespace: String, _ attributes: Attributes, _ children: [Element.Node]
  ) {
    self.name = name
    self.namespace = namespace
    self.attributes = attributes
    self.children = children
  }
}

extension Element: Hashable {
  package static func == (a: Element, b: Element) -> Bool {
    if let tape = a.tape, tape === b.tape, a.position == b.position { return true }
    if let built = a.built, built === b.built { return true }
    return a.name == b.name && a.namespace == b.namespace && a.attributes == b.attributes
      && a.children == b.children
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(name)
    hasher.combine(namespace)
    hasher.combine(attributes)
    hasher.combine(children)
  }
}

extension Element: CustomStringConvertible {
  /// The element as XML, relative to the namespace `jabber:client`. For tests and reports only:
  /// message bodies must not be logged.
  package var description: String { XMLWriter().string(self) }
}
