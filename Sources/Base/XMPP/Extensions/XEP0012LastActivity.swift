import XML

/// The time since an entity was last active (XEP-0012 §4).
package struct XEP0012LastActivity: Hashable, Sendable {
  package static let namespace = "jabber:iq:last"

  /// The time since the last activity, in seconds.
  package let seconds: Int
  /// The status of the presence that ended the last session.
  package let status: String?

  package init(seconds: Int, status: String? = nil) {
    self.seconds = seconds
    self.status = status
  }

  /// The `<query/>` of a response.
  package var element: Element {
    Element("query", Self.namespace, ["seconds": String(seconds)], text: status ?? "")
  }

  /// Reads a `<query/>`; `nil` when `element` is something else.
  package init?(_ element: Element) {
    guard element.is("query", Self.namespace),
      let seconds = element["seconds"].flatMap({ Int($0) }),
      seconds >= 0
    else { return nil }
    self.seconds = seconds
    let text = element.text.beginning
    status = text.isEmpty ? nil : text
  }
}
