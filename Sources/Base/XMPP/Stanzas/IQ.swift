import XML

/// An `<iq/>`: a request or its response (RFC 6120 §8.2.3).
package struct IQ: StanzaElement {
  /// The request or response types (RFC 6120 §8.2.3).
  package enum IQType: String, Hashable, Sendable { case get, set, result, error }

  package let element: Element

  package init(_ element: Element) { self.element = element }

  /// The type; `nil` when it is missing or unknown, which makes the stanza invalid.
  package var kind: IQType? { element["type"].flatMap(IQType.init) }

  /// The longest id that is repeated in an answer, in bytes.
  private static let longestID = 1024

  /// Indicates whether the id is short enough to be repeated in an answer. With quotes or
  /// apostrophes, which take several bytes where they are written, an answer could be longer than
  /// the server accepts: it would end the connection.
  var hasRepeatableID: Bool { element["id"].map { $0.utf8.count <= Self.longestID } ?? true }

  /// The one child that carries the request or the result. In an error, it is the request's
  /// payload, if the other side sent it back.
  package var payload: Element? { element.elements.first { !$0.is("error", Namespace.client) } }

  /// Returns the result that answers this request, with `payload` in it.
  package func resultReply(_ payload: Element? = nil) -> Element {
    var reply = Element("iq", Namespace.client, ["type": "result"])
    reply["id"] = element["id"]
    reply["to"] = element["from"]
    if let payload { reply.append(payload) }
    return reply
  }

  /// Indicates whether it answers a request, and was not read because it exceeds a limit.
  var isUnreadAnswer: Bool { element.exceedsLimit && (kind == .result || kind == .error) }

  /// The error that answers a request that was not read because it exceeds a limit; `nil` for
  /// anything else, and when the sender is unknown.
  var unreadReply: Element? {
    guard element.exceedsLimit, kind == .get || kind == .set, hasReadableAddresses,
      hasRepeatableID
    else { return nil }
    return errorReply(.requestTooLarge)
  }

  /// Returns the error that answers this request.
  package func errorReply(_ error: StanzaError) -> Element {
    var reply = Element("iq", Namespace.client, ["type": "error"])
    reply["id"] = element["id"]
    reply["to"] = element["from"]
    reply.append(error.element)
    return reply
  }
}
