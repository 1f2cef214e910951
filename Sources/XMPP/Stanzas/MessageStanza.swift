import FoundationEssentials

/// A `<message/>` (RFC 6121 §5).
package struct MessageStanza: StanzaElement {
  /// The message's type (RFC 6121 §5.2.2); one that is missing or unknown counts as `normal`.
  package enum Kind: String, Hashable, Sendable { case chat, error, groupchat, headline, normal }

  package let element: Element

  package init(_ element: Element) { self.element = element }

  package var kind: Kind { element["type"].flatMap(Kind.init) ?? .normal }

  /// The text; of several languages the one without `xml:lang`, else the first (RFC 6121 §5.2.3).
  package var body: String? { text(of: "body") }
  package var subject: String? { text(of: "subject") }

  /// When it was sent, where it came late (XEP-0203).
  package var delay: Date? {
    element.first("delay", Namespace.delay).flatMap { XEP0203Delay($0) }?.stamp
  }

  private func text(of name: String) -> String? {
    let all = element.all(name, Namespace.client)
    return (all.first { $0["xml:lang"] == nil } ?? all.first)?.text
  }
}
