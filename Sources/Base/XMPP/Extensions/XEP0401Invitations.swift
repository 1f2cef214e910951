/// An invitation that a server generates (XEP-0401).
package struct XEP0401Invitation: Hashable, Sendable {
  /// The command that generates an invitation to become a contact (§3).
  package static let contactNode = "urn:xmpp:invite#invite"
  /// The command that generates an invitation to create an account.
  package static let accountNode = "urn:xmpp:invite#create-account"

  package let uri: String
  package let page: String?
  /// The expiry, as an XEP-0082 timestamp.
  package let expires: String?

  /// Reads the form of the command's response; `nil` when it has no `xmpp:` URI.
  package init?(_ form: XEP0004DataForm) {
    func value(_ name: String) -> String? {
      form[name]?.values.first.flatMap { $0.isEmpty ? nil : $0 }
    }
    guard let uri = value("uri"), uri.hasPrefix("xmpp:") else { return nil }
    self.uri = uri
    page = value("landing-url")
    expires = value("expire")
  }
}
