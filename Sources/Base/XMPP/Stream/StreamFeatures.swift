import XML

/// The features that the server offers at this point of the negotiation (RFC 6120 §4.3.2).
package struct StreamFeatures: Hashable, Sendable {
  package var offersStartTLS = false
  /// Indicates whether the server does nothing without TLS (RFC 6120 §5.3.1).
  package var requiresTLS = false
  /// Names of SASL mechanisms, in the server's order.
  package var mechanisms: [String] = []
  /// The channel bindings that the server supports (XEP-0440); `nil` when it does not say.
  package var channelBindings: [String]?
  /// Authentication combined with the following steps (XEP-0388).
  package var oneStep: XEP0388Offer?
  package var offersBind = false
  /// Indicates whether RFC 3921's session is offered and not marked as optional.
  package var requiresSession = false
  package var hasRosterVersioning = false
  package var offersStreamManagement = false
  package var offersRegistration = false
  /// Client state indication (XEP-0352).
  package var offersClientState = false
  /// The largest stanza that the server accepts, in bytes (XEP-0478).
  package var stanzaLimit = StanzaLimit.usual

  package init() {}

  /// Reads a `<stream:features/>`; unknown features are ignored.
  package init(_ element: Element) {
    defer { oneStep?.channelBindings = channelBindings }
    for feature in element.elements {
      switch (feature.namespace, feature.name) {
      case (Namespace.tls, "starttls"):
        offersStartTLS = true
        requiresTLS = feature.first("required", Namespace.tls) != nil
      case (Namespace.sasl, "mechanisms"):
        mechanisms = feature.all("mechanism", Namespace.sasl).map {
          String(
            String.UnicodeScalarView($0.text.unicodeScalars.filter { !$0.properties.isWhitespace }))
        }
      case (Namespace.sasl2, "authentication"): oneStep = XEP0388Offer(feature)
      case (Namespace.channelBinding, "sasl-channel-binding"):
        channelBindings = feature.all("channel-binding", Namespace.channelBinding)
          .compactMap { $0["type"] }
      case (Namespace.bind, "bind"): offersBind = true
      case (Namespace.session, "session"):
        requiresSession = feature.first("optional", Namespace.session) == nil
      case (Namespace.rosterVersioning, _): hasRosterVersioning = true
      case (Namespace.streamManagement, "sm"): offersStreamManagement = true
      case (Namespace.registerFeature, _): offersRegistration = true
      case (Namespace.clientState, _): offersClientState = true
      case (Namespace.streamLimits, "limits"):
        stanzaLimit =
          feature.first("max-bytes", Namespace.streamLimits).flatMap {
            Int($0.text.withoutBlanksAround)
          }.flatMap { $0 > 0 ? StanzaLimit(announced: $0) : nil } ?? .usual
      default: break
      }
    }
  }
}

/// A bound session (RFC 6120 §7).
package struct Session: Hashable, Sendable {
  /// The full JID that the server gave this connection.
  package let jid: JID
  /// The features that the server offered after authentication.
  package let features: StreamFeatures
  /// Indicates whether acknowledgements are enabled (XEP-0198 §3).
  package let hasStreamManagement: Bool
  /// Indicates whether carbon copies were enabled while binding (XEP-0386 §4).
  package let hasCarbons: Bool

  package init(
    jid: JID, features: StreamFeatures, hasStreamManagement: Bool, hasCarbons: Bool = false
  ) {
    self.jid = jid
    self.features = features
    self.hasStreamManagement = hasStreamManagement
    self.hasCarbons = hasCarbons
  }
}
