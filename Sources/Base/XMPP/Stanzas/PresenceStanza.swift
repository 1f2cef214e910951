import XML

/// A `<presence/>` (RFC 6121 §4).
package struct PresenceStanza: StanzaElement {
  /// The presence's type (RFC 6121 §4.7.1); a missing type means `available`. For an unknown type,
  /// `kind` is `nil`.
  package enum PresenceType: String, Hashable, Sendable {
    case available, unavailable, subscribe, subscribed, unsubscribe, unsubscribed, probe, error
  }

  package let element: Element

  package init(_ element: Element) { self.element = element }

  package var kind: PresenceType? {
    guard let type = element["type"] else { return .available }
    return type == "available" ? nil : PresenceType(rawValue: type)
  }

  /// `away`, `chat`, `dnd` or `xa` (RFC 6121 §4.7.2.1), unchecked.
  package var show: String? { element.first("show", Namespace.client)?.text }

  /// The status text (§4.7.2.2), limited to `String.longestText`; of several languages, the text
  /// without `xml:lang`, otherwise the first.
  package var status: String? {
    let all = element.all("status", Namespace.client)
    return (all.first { $0["xml:lang"] == nil } ?? all.first)?.text.beginning
  }

  /// The priority, −128 to 127 (§4.7.2.3); 0 when it is missing or not such a number.
  package var priority: Int {
    element.first("priority", Namespace.client).flatMap { Int8($0.text) }.map(Int.init) ?? 0
  }
}
