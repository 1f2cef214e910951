import XMPP

/// The stanza errors that the server sends (RFC 6120 §8.3.3), each with the type that says what the
/// sender can do.
enum StanzaRefusal: String, Sendable, Equatable {
  case badRequest = "bad-request"
  case conflict
  case featureNotImplemented = "feature-not-implemented"
  case forbidden
  case internalServerError = "internal-server-error"
  case itemNotFound = "item-not-found"
  case jidMalformed = "jid-malformed"
  case notAcceptable = "not-acceptable"
  case notAllowed = "not-allowed"
  case recipientUnavailable = "recipient-unavailable"
  case remoteServerNotFound = "remote-server-not-found"
  case resourceConstraint = "resource-constraint"
  case serviceUnavailable = "service-unavailable"
  case unexpectedRequest = "unexpected-request"

  /// The `type` of the `<error/>`.
  var kind: String {
    switch self {
    case .badRequest, .jidMalformed, .notAcceptable: "modify"
    case .forbidden: "auth"
    case .recipientUnavailable, .resourceConstraint, .unexpectedRequest, .internalServerError:
      "wait"
    default: "cancel"
    }
  }

  var element: Element {
    Element(
      "error", Namespace.client, ["type": kind],
      [Element(rawValue, Namespace.stanzaErrors)])
  }
}

extension Element {
  /// Whether it is a stanza of this name (RFC 6120 §8.1).
  func isStanza(_ name: String) -> Bool { self.is(name, Namespace.client) }

  var isStanza: Bool {
    namespace == Namespace.client && ["message", "presence", "iq"].contains(name)
  }

  /// The answer that refuses this stanza; `nil` for what must not be answered (RFC 6120 §8.3.1):
  /// errors and IQ results.
  func refusal(_ refusal: StanzaRefusal) -> Element? {
    if self["type"] == "error" || self.isStanza("iq") && self["type"] == "result" { return nil }
    var reply = Element(name, Namespace.client, ["type": "error"])
    reply["id"] = self["id"]
    reply["from"] = self["to"]
    reply["to"] = self["from"]
    reply.append(refusal.element)
    return reply
  }

  /// The result of this IQ request.
  func result(_ payload: Element? = nil) -> Element {
    var reply = Element("iq", Namespace.client, ["type": "result"])
    reply["id"] = self["id"]
    reply["from"] = self["to"]
    reply["to"] = self["from"]
    if let payload { reply.append(payload) }
    return reply
  }

  /// The text of a child of a stanza, `nil` when it has none.
  func childText(_ name: String, _ namespace: String = Namespace.client) -> String? {
    first(name, namespace)?.text
  }
}
