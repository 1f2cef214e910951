/// When somebody was there last (XEP-0012 §4).
package struct XEP0012LastActivity: Hashable, Sendable {
  package static let namespace = "jabber:iq:last"

  /// So many seconds ago.
  package let seconds: Int
  /// What he said when he went.
  package let status: String?

  package init(seconds: Int, status: String? = nil) {
    self.seconds = seconds
    self.status = status
  }

  /// The `<query/>` to answer with.
  package var element: Element {
    Element("query", Self.namespace, ["seconds": String(seconds)], text: status ?? "")
  }

  /// Reads a `<query/>`; `nil` when `element` is none.
  package init?(_ element: Element) {
    guard element.is("query", Self.namespace),
      let seconds = element["seconds"].flatMap({ Int($0) }),
      seconds >= 0
    else { return nil }
    self.seconds = seconds
    status = element.text.isEmpty ? nil : element.text
  }
}
