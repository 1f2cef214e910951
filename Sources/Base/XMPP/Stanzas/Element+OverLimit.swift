import XML

extension Element {
  /// The stanza, or the forwarded message, with substitutes for what is missing where it exceeds a
  /// limit of the parser; `nil` when it has no meaning without that.
  ///
  /// A refused message or entrance to a room would otherwise remain undecided, and a message of a
  /// person would disappear. An error that was not read is an undefined one; a message whose
  /// content was not read has `MessageStanza.overLimitNamespace` as its content.
  var readable: Element? {
    guard exceedsLimit else { return self }
    switch (name, self["type"]) {
    case ("message", "error"), ("presence", "error"):
      guard first("error", Namespace.client) == nil else { return self }
      return substitute(StanzaError(.cancel, .undefinedCondition).element)
    case ("message", _):
      let message = MessageStanza(self)
      guard message.content == nil else { return self }
      // Only a client's message may be a person's.
      if message.from?.local != nil, message.from?.resource != nil {
        return substitute(StanzaError.tooBig)
      }
      // A server's may be a copy, or a result of an archive.
      return elements.contains(where: \.exceedsLimit) ? self : nil
    case ("presence", _): return self
    default: return nil
    }
  }

  /// The most ids, and the most delays, of a message that are kept with a substitute.
  private static let most = 8

  /// Returns a stanza with the same identity and time, and with `content` as its content.
  private func substitute(_ content: Element) -> Element {
    var stanza = Element(name, namespace)
    for name in ["type", "id", "from", "to"] { stanza[name] = self[name] }
    stanza.append(content)
    for namespace in [Namespace.stanzaIDs, Namespace.delay, XEP0203Delay.oldNamespace] {
      for child in all(in: namespace).prefix(Self.most) { stanza.append(child.detached) }
    }
    return stanza
  }
}

extension MessageStanza {
  /// The namespace of the content that replaces one over a limit, which was not read.
  package static let overLimitNamespace = StanzaError.tooBig.namespace
}
