import FoundationEssentials

/// `<delay/>`: when a stanza that came late was sent (XEP-0203).
package struct XEP0203Delay: Hashable, Sendable {
  package let stamp: Date
  /// Who delayed it.
  package let from: JID?

  package init(stamp: Date, from: JID?) {
    self.stamp = stamp
    self.from = from
  }

  package init?(_ element: Element) {
    guard element.is("delay", Namespace.delay),
      let stamp = element["stamp"].flatMap({ XEP0082DateTime.date(from: $0) })
    else { return nil }
    self.init(stamp: stamp, from: element["from"].flatMap { JID(parsing: $0) })
  }

  package var element: Element {
    var element = Element(
      "delay", Namespace.delay, ["stamp": XEP0082DateTime.text(for: stamp)])
    element["from"] = from?.description
    return element
  }
}
