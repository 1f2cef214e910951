import XML

/// A server's offer of authentication combined with the following steps (XEP-0388, with XEP-0386,
/// XEP-0198 and XEP-0484 inside).
package struct XEP0388Offer: Hashable, Sendable {
  /// Names of SASL mechanisms, in the server's order.
  package var mechanisms: [String]
  /// Indicates whether a resource is bound in the same step (XEP-0386).
  package var offersBind: Bool
  /// The namespaces of the features that can be enabled while binding.
  package var bindFeatures: Set<String>
  /// Indicates whether an old session is resumed in the same step (XEP-0198).
  package var offersResumption: Bool
  /// The mechanisms for which the server issues tokens (XEP-0484).
  package var tokenMechanisms: [String]
  /// The TLS channel bindings that it supports (XEP-0440); `nil` when it does not announce them.
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

  /// Reads the `<authentication/>` of the stream features.
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

/// The identity of a client to a server, constant across connections (XEP-0388 §2.4).
package struct XEP0388UserAgent: Hashable, Sendable {
  /// A random UUID that reveals nothing about the user, the same at each connection of this client.
  package let id: String
  /// The program's name, `Natter`.
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
