/// What a server offers on a stream (RFC 6120 §4.3.2).
package struct StreamFeatures: Hashable, Sendable {
  /// STARTTLS is offered; `requiresTLS` whether it is mandatory (RFC 6120 §5.4.1).
  package var offersTLS = false
  package var requiresTLS = false
  /// SASL mechanisms by their names, in the server's order (RFC 6120 §6.4.1).
  package var mechanisms: [String] = []
  package var offersBind = false
  /// The session establishment of RFC 3921, and whether it has to be done.
  package var requiresSession = false
  /// Accounts can be made on this stream (XEP-0077 §2).
  package var offersRegistration = false
  package var offersStreamManagement = false
  /// The roster has versions (RFC 6121 §2.6.1).
  package var hasRosterVersioning = false

  package init() {}

  /// Reads `<stream:features/>`; nil when `element` is something else.
  package init?(_ element: Element) {
    guard element.is("features", Namespace.streams) else { return nil }
    if let tls = element.first("starttls", Namespace.tls) {
      offersTLS = true
      requiresTLS = tls.first("required", Namespace.tls) != nil
    }
    if let list = element.first("mechanisms", Namespace.sasl) {
      mechanisms = list.all("mechanism", Namespace.sasl).map {
        $0.text.trimmingBlanks.uppercased()
      }
    }
    offersBind = element.first("bind", Namespace.bind) != nil
    if let session = element.first("session", Namespace.session) {
      requiresSession = session.first("optional", Namespace.session) == nil
    }
    offersRegistration = element.first("register", Namespace.registerFeature) != nil
    offersStreamManagement = element.first("sm", Namespace.streamManagement) != nil
    hasRosterVersioning = element.first("ver", Namespace.rosterVersioning) != nil
  }
}

/// A stream with an address bound to it: stanzas can be exchanged (RFC 6120 §7).
package struct Session: Hashable, Sendable {
  /// The full address the server gave.
  package let jid: JID
  /// What the server offered on the authenticated stream.
  package let features: StreamFeatures

  package init(jid: JID, features: StreamFeatures) {
    self.jid = jid
    self.features = features
  }
}

extension String {
  /// Without XML's blanks at both ends.
  var trimmingBlanks: String {
    let isBlank = { (scalar: Unicode.Scalar) in
      scalar == " " || scalar == "\t" || scalar == "\n" || scalar == "\r"
    }
    let front = unicodeScalars.drop(while: isBlank)
    guard let last = front.lastIndex(where: { !isBlank($0) }) else { return "" }
    return String(front[...last])
  }
}
