/// Invitations that a server makes (XEP-0401).
package struct XEP0401Invitation: Hashable, Sendable {
  /// Makes one that leads to a contact (§3).
  package static let contactNode = "urn:xmpp:invite#invite"
  /// Makes one that leads to an account.
  package static let accountNode = "urn:xmpp:invite#create-account"

  package let uri: String
  package let page: String?
  /// When it ends, as a text of XEP-0082.
  package let expires: String?

  /// Reads the form that the command answers with; `nil` without an `xmpp:` address in it.
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
