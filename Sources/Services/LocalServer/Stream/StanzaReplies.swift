import XML
import XMPP

/// The stanza errors that the server sends (RFC 6120 §8.3.3). Each has a type that indicates how
/// the sender can react.
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
  case notAuthorized = "not-authorized"
  case recipientUnavailable = "recipient-unavailable"
  case registrationRequired = "registration-required"
  case remoteServerNotFound = "remote-server-not-found"
  case resourceConstraint = "resource-constraint"
  case serviceUnavailable = "service-unavailable"
  case unexpectedRequest = "unexpected-request"

  /// The `type` of the `<error/>`.
  var kind: String {
    switch self {
    case .badRequest, .jidMalformed, .notAcceptable: "modify"
    case .forbidden, .notAuthorized, .registrationRequired: "auth"
    case .recipientUnavailable, .resourceConstraint, .unexpectedRequest, .internalServerError:
      "wait"
    default: "cancel"
    }
  }

  /// - Parameter detail: the application-specific condition (RFC 6120 §8.3.4).
  func element(_ detail: Element? = nil) -> Element {
    Element(
      "error", Namespace.client, ["type": kind],
      [Element(rawValue, Namespace.stanzaErrors)] + (detail.map { [$0] } ?? []))
  }
}

/// An error that makes the server refuse a request.
struct RequestRefusal: Error, Equatable {
  let reason: StanzaRefusal
  init(_ reason: StanzaRefusal) { self.reason = reason }
}

extension Element {
  /// Returns whether it is a stanza of this name (RFC 6120 §8.1).
  func isStanza(_ name: String) -> Bool { self.is(name, Namespace.client) }

  var isStanza: Bool {
    namespace == Namespace.client && ["message", "presence", "iq"].contains(name)
  }

  /// Returns the error reply to this stanza, or `nil` for errors and IQ results, which must not be
  /// answered (RFC 6120 §8.3.1).
  func refusal(_ refusal: StanzaRefusal, _ detail: Element? = nil) -> Element? {
    if self["type"] == "error" || self.isStanza("iq") && self["type"] == "result" { return nil }
    var reply = Element(name, Namespace.client, ["type": "error"])
    reply["id"] = self["id"]
    reply["from"] = self["to"]
    reply["to"] = self["from"]
    reply.append(refusal.element(detail))
    return reply
  }

  /// Returns the result of this IQ request.
  func result(_ payload: Element? = nil) -> Element {
    var reply = Element("iq", Namespace.client, ["type": "result"])
    reply["id"] = self["id"]
    reply["from"] = self["to"]
    reply["to"] = self["from"]
    if let payload { reply.append(payload) }
    return reply
  }

  /// Returns the text of a child of a stanza, or `nil` when there is no such child.
  func childText(_ name: String, _ namespace: String = Namespace.client) -> String? {
    first(name, namespace)?.text
  }
}

extension Element {
  /// Removes all children with this name and namespace.
  mutating func removeAll(_ name: String, _ namespace: String) {
    guard first(name, namespace) != nil else { return }
    children.removeAll {
      if case .element(let child) = $0 { child.is(name, namespace) } else { false }
    }
  }

  /// Removes ids that claim to be assigned by `owner`, because clients can forge them (XEP-0359
  /// §6).
  mutating func removeStanzaIDs(by owner: JID) {
    guard first("stanza-id", Namespace.stanzaIDs) != nil else { return }
    children.removeAll {
      guard case .element(let child) = $0, child.is("stanza-id", Namespace.stanzaIDs) else {
        return false
      }
      return child["by"].flatMap { Address.parse($0) } == owner
    }
  }
}
