import XML

/// The stanzas that arrived while a session was set up and are not part of the negotiation.
struct EarlyStanzas {
  let stanzas: [Stanza]
  /// The number of stanzas whose sender cannot be read, and of those that exceed a limit.
  let dropped: Int

  init(_ elements: [Element]) {
    stanzas = elements.compactMap { Stanza($0) }
    dropped = elements.count { Stanza.isStanza($0) } - stanzas.count
  }
}

/// Elements that came before they could be handled, up to a limit.
struct EarlyElements {
  private(set) var elements: [Element] = []
  private var weight = 0

  /// Adds one more; the last one may exceed the limit.
  /// - Throws: `.protocolViolation` when the limit is exceeded.
  mutating func append(_ element: Element) throws(StreamFailure) {
    guard weight <= StreamLimits.earlyBytes else {
      throw .protocolViolation(.breach(.unexpectedElement, name: element.name))
    }
    elements.append(element)
    weight += element.weight
  }
}
