import XML

/// The reason why a side ended the stream (RFC 6120 §4.9).
package struct StreamError: Error, Hashable, Sendable {
  /// The defined conditions (RFC 6120 §4.9.3), with their names on the wire.
  package enum Condition: String, Hashable, Sendable, CaseIterable {
    case badFormat = "bad-format"
    case badNamespacePrefix = "bad-namespace-prefix"
    case conflict
    case connectionTimeout = "connection-timeout"
    case hostGone = "host-gone"
    case hostUnknown = "host-unknown"
    case improperAddressing = "improper-addressing"
    case internalServerError = "internal-server-error"
    case invalidFrom = "invalid-from"
    case invalidNamespace = "invalid-namespace"
    case invalidXML = "invalid-xml"
    case notAuthorized = "not-authorized"
    case notWellFormed = "not-well-formed"
    case policyViolation = "policy-violation"
    case remoteConnectionFailed = "remote-connection-failed"
    case reset
    case resourceConstraint = "resource-constraint"
    case restrictedXML = "restricted-xml"
    case seeOtherHost = "see-other-host"
    case systemShutdown = "system-shutdown"
    case undefinedCondition = "undefined-condition"
    case unsupportedEncoding = "unsupported-encoding"
    case unsupportedFeature = "unsupported-feature"
    case unsupportedStanzaType = "unsupported-stanza-type"
    case unsupportedVersion = "unsupported-version"
  }

  package var condition: Condition
  /// The other side's text. It is outside data: make it safe before showing it.
  package var text: String?
  /// The host to connect to instead: the content of `<see-other-host/>` (RFC 6120 §4.9.3.19).
  package var otherHost: String?

  package init(_ condition: Condition, text: String? = nil, otherHost: String? = nil) {
    self.condition = condition
    self.text = text
    self.otherHost = otherHost
  }

  /// Indicates whether the cause may be a stanza that was just sent: the same stanza may bring the
  /// same error forever, above all a stanza larger than the server accepts (RFC 6120 §4.9.3.14,
  /// XEP-0478).
  package var mayBlameStanza: Bool {
    switch condition {
    case .policyViolation, .badFormat, .invalidXML, .notWellFormed, .restrictedXML,
      .unsupportedStanzaType:
      true
    default: false
    }
  }

  /// Reads a `<stream:error/>`; `nil` when `element` is something else. A condition that the RFC
  /// does not define becomes `undefined-condition`.
  package init?(_ element: Element) {
    guard element.name == "error", element.namespace == Namespace.streams else { return nil }
    var condition = Condition.undefinedCondition
    var text: String?
    var otherHost: String?
    for child in element.elements where child.namespace == Namespace.streamErrors {
      if child.name == "text" {
        text = child.text
      } else if let known = Condition(rawValue: child.name) {
        condition = known
        if known == .seeOtherHost { otherHost = child.text }
      } else if child.name == "xml-not-well-formed" {
        // Its name in RFC 3920, which some servers still send.
        condition = .notWellFormed
      }
    }
    self.init(condition, text: text, otherHost: otherHost)
  }

  /// The `<stream:error/>` to send.
  package var element: Element {
    var children = [
      Element(
        condition.rawValue, Namespace.streamErrors, children: otherHost.map { [.text($0)] } ?? [])
    ]
    if let text {
      children.append(Element("text", Namespace.streamErrors, ["xml:lang": "en"], text: text))
    }
    return Element("error", Namespace.streams, [:], children)
  }
}
