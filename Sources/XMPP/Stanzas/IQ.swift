/// An `<iq/>`: a question or its answer (RFC 6120 §8.2.3).
package struct IQ: StanzaElement {
  package enum Kind: String, Hashable, Sendable { case get, set, result, error }

  package let element: Element

  package init(_ element: Element) { self.element = element }

  /// `nil` when the type is missing or unknown, which makes the stanza void.
  package var kind: Kind? { element["type"].flatMap(Kind.init) }

  /// The one child that says what it is about; in an error the question's, when it was sent back.
  package var payload: Element? { element.elements.first { !$0.is("error", Namespace.client) } }

  /// The answer to this question, with `payload` in it.
  package func resultReply(_ payload: Element? = nil) -> Element {
    var reply = Element("iq", Namespace.client, ["type": "result"])
    reply["id"] = element["id"]
    reply["to"] = element["from"]
    if let payload { reply.append(payload) }
    return reply
  }

  /// The answer that says why there is none.
  package func errorReply(_ error: StanzaError) -> Element {
    var reply = Element("iq", Namespace.client, ["type": "error"])
    reply["id"] = element["id"]
    reply["to"] = element["from"]
    reply.append(error.element)
    return reply
  }
}
