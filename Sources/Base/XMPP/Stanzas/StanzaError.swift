import XML

/// The reason why a stanza was not accepted (RFC 6120 §8.3).
package struct StanzaError: Error, Hashable, Sendable {
  /// The error's type, which says how to react to it (§8.3.2).
  package enum ErrorType: String, Hashable, Sendable, CaseIterable {
    case auth, cancel, `continue`, modify, wait
  }

  /// The defined conditions (§8.3.3), with their names on the wire.
  package enum Condition: String, Hashable, Sendable, CaseIterable {
    case badRequest = "bad-request"
    case conflict
    case featureNotImplemented = "feature-not-implemented"
    case forbidden
    case gone
    case internalServerError = "internal-server-error"
    case itemNotFound = "item-not-found"
    case jidMalformed = "jid-malformed"
    case notAcceptable = "not-acceptable"
    case notAllowed = "not-allowed"
    case notAuthorized = "not-authorized"
    case policyViolation = "policy-violation"
    case recipientUnavailable = "recipient-unavailable"
    case redirect
    case registrationRequired = "registration-required"
    case remoteServerNotFound = "remote-server-not-found"
    case remoteServerTimeout = "remote-server-timeout"
    case resourceConstraint = "resource-constraint"
    case serviceUnavailable = "service-unavailable"
    case subscriptionRequired = "subscription-required"
    case undefinedCondition = "undefined-condition"
    case unexpectedRequest = "unexpected-request"
  }

  package let kind: ErrorType
  package let condition: Condition
  /// The other side's text. It is outside data: make it safe before showing it.
  package let text: String?
  /// The entity that the error is from, as far as it is known; `nil` for an error made here.
  package let speaker: JID?
  /// Indicates whether the account's server may have answered in the name of `speaker`: then the
  /// text is shown without an author.
  package let isDoubtful: Bool
  /// The application-specific condition beside the defined one (§8.3.4), if there is one.
  package let applicationCondition: Element?
  /// The address to use instead, which `gone` and `redirect` may give: an address of any kind
  /// (§8.3.3.5, §8.3.3.14). It is outside data.
  package let newAddress: String?

  package init(
    _ kind: ErrorType, _ condition: Condition, text: String? = nil, speaker: JID? = nil,
    applicationCondition: Element? = nil, newAddress: String? = nil, isDoubtful: Bool = false
  ) {
    self.kind = kind
    self.condition = condition
    self.text = text
    self.speaker = speaker
    self.applicationCondition = applicationCondition
    self.newAddress = newAddress
    self.isDoubtful = isDoubtful
  }

  /// Reads an `<error/>`; a missing type counts as `cancel`, a missing condition as
  /// `undefined-condition`.
  /// - Parameters:
  ///   - sender: The sender of the stanza that contains it.
  ///   - recipient: The recipient of that stanza: the account.
  package init(_ element: Element, from sender: JID? = nil, to recipient: JID? = nil) {
    var condition = Condition.undefinedCondition
    var text: String?
    var application: Element?
    var address: String?
    for child in element.elements {
      if child.namespace != Namespace.stanzaErrors {
        application = application ?? child
      } else if child.name == "text" {
        // It is stored with the message that was refused.
        text = text ?? child.text.beginning
      } else if let known = Condition(rawValue: child.name) {
        condition = known
        address = known == .gone || known == .redirect ? child.text : nil
      }
    }
    // An entity on the way may have refused the stanza (§8.3.1). Any sender can name any entity: it
    // is only believed of its own server, so that its text does not pass for the user's server's.
    let named = element.address("by").jid
    let speaker = sender.map { named?.domain == $0.domain ? named : $0 } ?? named
    self.init(
      element["type"].flatMap(ErrorType.init) ?? .cancel, condition, text: text, speaker: speaker,
      applicationCondition: application, newAddress: address?.isEmpty == true ? nil : address,
      isDoubtful: sender.map {
        Self.mayBeOwnServers(condition, application, from: $0, by: named, own: recipient?.domain)
      } ?? false)
  }

  /// Returns whether an error from `sender` may be from the account's server, which answers in the
  /// name of an entity that it does not deliver a stanza to (§8.3.1, §10.5).
  private static func mayBeOwnServers(
    _ condition: Condition, _ application: Element?, from sender: JID, by named: JID?,
    own domain: String?
  ) -> Bool {
    // For its other users; by its own name, it says it itself.
    if sender.domain == domain { return sender.local != nil }
    if named?.domain == sender.domain { return false }
    if let domain, named?.domain == domain { return true }
    return condition == .remoteServerNotFound || condition == .remoteServerTimeout
      // The account has blocked the address (XEP-0191 §3.2).
      || application?.is("blocked", "urn:xmpp:blocking:errors") == true
  }

  /// The text, if it is certain that it is the speaker's.
  package var certainText: String? { isDoubtful ? nil : text }

  /// The error of a request whose answer exceeds a limit, so that it was not read; made here.
  package static let answerTooLarge = StanzaError(
    .cancel, .undefinedCondition, applicationCondition: tooBig)
  /// The error for a request that exceeds a limit (RFC 6120 §8.3.3.12).
  static let requestTooLarge = StanzaError(
    .modify, .policyViolation, applicationCondition: tooBig)
  static let tooBig = Element("stanza-too-big", "urn:xmpp:errors")

  /// The `<error/>` to send.
  package var element: Element {
    let defined =
      newAddress.map { Element(condition.rawValue, Namespace.stanzaErrors, text: $0) }
      ?? Element(condition.rawValue, Namespace.stanzaErrors)
    var error = Element("error", Namespace.client, ["type": kind.rawValue], [defined])
    if let text {
      error.append(Element("text", Namespace.stanzaErrors, ["xml:lang": "en"], text: text))
    }
    if let applicationCondition { error.append(applicationCondition) }
    return error
  }

  /// Indicates whether the server is only busy, so that the same request may succeed the next time
  /// (RFC 6120 §8.3.2).
  package var isPassing: Bool {
    kind == .wait && (condition == .internalServerError || condition == .remoteServerTimeout)
  }

  /// Indicates whether the same request may have another answer later (RFC 6120 §8.3.2), even if
  /// the server calls the error final: some servers do so when a disk is full.
  package var mayPass: Bool {
    kind == .wait || condition == .internalServerError || condition == .remoteServerTimeout
  }

  /// Indicates whether what was asked for does not exist, or is denied for good. An answer that was
  /// not read is neither: it exists.
  package var isFinal: Bool { !mayPass && self != .answerTooLarge }

  /// One line for the user: the other side's text and the condition's name.
  package var explanation: String {
    let name = condition.rawValue.replacing("-", with: " ")
    guard let text, !text.isEmpty else { return name }
    return "\(text) (\(name))"
  }
}
