/// What a server offers for signing in and everything after it in one step (XEP-0388, with XEP-0386, XEP-0198 and
/// XEP-0484 inside).
package struct XEP0388Offer: Hashable, Sendable {
  /// Names of SASL mechanisms, in the server's order.
  package var mechanisms: [String]
  /// Whether a resource is bound in the same step (XEP-0386).
  package var offersBind: Bool
  /// What can be turned on while binding, by namespace.
  package var bindFeatures: Set<String>
  /// Whether an old session is resumed in the same step (XEP-0198).
  package var offersResumption: Bool
  /// The mechanisms for which tokens are given (XEP-0484).
  package var tokenMechanisms: [String]
  /// What it can bind to of a TLS connection (XEP-0440); `nil`: it does not say.
  package var channelBindings: [String]?

  package init(
    mechanisms: [String] = [], offersBind: Bool = false, bindFeatures: Set<String> = [],
    offersResumption: Bool = false, tokenMechanisms: [String] = []
  ) {
    self.mechanisms = mechanisms
    self.offersBind = offersBind
    self.bindFeatures = bindFeatures
    self.offersResumption = offersResumption
    self.tokenMechanisms = tokenMechanisms
  }

  /// Reads an `<authentication/>` of the features.
  init(_ element: Element) {
    self.init(mechanisms: Self.names(element.all("mechanism", Namespace.sasl2)))
    let inline = element.first("inline", Namespace.sasl2)
    offersResumption = inline?.first("sm", Namespace.streamManagement) != nil
    if let bind = inline?.first("bind", Namespace.bind2) {
      offersBind = true
      bindFeatures = Set(
        bind.first("inline", Namespace.bind2)?.all("feature", Namespace.bind2)
          .compactMap { $0["var"] } ?? [])
    }
    if let tokens = inline?.first("fast", Namespace.reconnectionToken) {
      tokenMechanisms = Self.names(tokens.all("mechanism", Namespace.reconnectionToken))
    }
  }

  private static func names(_ elements: [Element]) -> [String] {
    elements.map { $0.text.filter { !$0.isWhitespace } }
  }
}

/// Who a client is to a server, from one connection to the next (XEP-0388 §2.4).
package struct XEP0388UserAgent: Hashable, Sendable {
  /// A random UUID that tells nothing about the person, the same at each connection of this client.
  package let id: String
  /// The program, as `Natter`.
  package let software: String

  package init(id: String, software: String) {
    self.id = id
    self.software = software
  }

  var element: Element {
    Element(
      "user-agent", Namespace.sasl2, ["id": id],
      [Element("software", Namespace.sasl2, text: software)])
  }
}
