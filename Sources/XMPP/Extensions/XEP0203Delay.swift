import FoundationEssentials

/// `<delay/>`: when a stanza that came late was sent (XEP-0203).
package struct XEP0203Delay: Hashable, Sendable {
  package let stamp: Date
  /// Who delayed it, as it stands there.
  package let origin: AddressAttribute
  /// Who delayed it; `nil` when that is not told, or is no address.
  package var from: JID? { origin.jid }

  package init(stamp: Date, from: JID?) {
    self.init(stamp: stamp, origin: from.map { .address($0) } ?? .absent)
  }

  private init(stamp: Date, origin: AddressAttribute) {
    self.stamp = stamp
    self.origin = origin
  }

  package init?(_ element: Element) {
    guard element.is("delay", Namespace.delay),
      let stamp = element["stamp"].flatMap({ XEP0082DateTime.date(from: $0) })
    else { return nil }
    self.init(stamp: stamp, origin: element.address("from"))
  }

  package var element: Element {
    var element = Element(
      "delay", Namespace.delay, ["stamp": XEP0082DateTime.text(for: stamp)])
    element["from"] = from?.description
    return element
  }
}
