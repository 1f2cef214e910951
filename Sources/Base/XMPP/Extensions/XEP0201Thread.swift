import XML

/// The thread that a message belongs to (RFC 6121 §5.2.5, XEP-0201).
package struct XEP0201Thread: Sendable {
  /// The longest id, in bytes of UTF-8; programs generate some tens. A longer one is ignored: a
  /// message in a thread whose id is shortened would be in another thread.
  package static let idLimit = 256

  /// The id, opaque: compared byte by byte, and never interpreted.
  package let id: String
  /// The id of the thread that this one came from; `nil`: none, as far as is known.
  package let parent: String?

  /// A thread; `nil` if its id is empty or blank, is longer than `idLimit`, or cannot be sent as it
  /// is. A parent like that, or one that is the thread itself, is left out.
  package init?(id: String, parent: String? = nil) {
    guard Self.isFit(id) else { return nil }
    self.id = id
    self.parent = parent.flatMap { Self.isFit($0) && !Self.isSame($0, id) ? $0 : nil }
  }

  /// Reads a `<thread/>`; `nil` when `element` is something else, or its id is not valid.
  package init?(_ element: Element) {
    guard element.is("thread", Namespace.client) else { return nil }
    self.init(id: element.text, parent: element["parent"])
  }

  package var element: Element {
    var element = Element("thread", Namespace.client, text: id)
    if let parent { element["parent"] = parent }
    return element
  }

  /// Returns whether both ids are the same, byte by byte.
  package static func isSame(_ one: String, _ other: String) -> Bool {
    one.utf8.elementsEqual(other.utf8)
  }

  private static func isFit(_ id: String) -> Bool {
    (1...idLimit).contains(id.utf8.count) && isSame(id.carried, id)
      && !id.utf8.allSatisfy { [0x09, 0x0A, 0x20].contains($0) }
  }
}

extension XEP0201Thread: Hashable {
  package static func == (a: Self, b: Self) -> Bool {
    guard isSame(a.id, b.id) else { return false }
    guard let one = a.parent, let other = b.parent else { return a.parent == b.parent }
    return isSame(one, other)
  }

  package func hash(into hasher: inout Hasher) {
    for byte in id.utf8 { hasher.combine(byte) }
  }
}

extension MessageStanza {
  /// The thread that it belongs to (XEP-0201).
  package var thread: XEP0201Thread? {
    element.first("thread", Namespace.client).flatMap { XEP0201Thread($0) }
  }
}
