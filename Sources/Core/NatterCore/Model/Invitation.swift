import BoundedText
import XMPP

/// An invitation to register an account, as a server or a contact sends it:
/// `xmpp:example.org?register;preauth=TOKEN`, or
/// `xmpp:bob@example.org?roster;preauth=TOKEN;ibr=y` (XEP-0379, XEP-0401, XEP-0445).
package struct Invitation: Hashable, Sendable {
  /// The server that registers the account, with a user name if the invitation specifies one.
  package let address: JID
  /// The token that authorizes the registration.
  package let token: String

  /// - Returns: `nil` for anything else, including a contact's invitation that permits no
  ///   registration.
  package init?(_ text: String) {
    let prefix = text.prefix(5)
    guard prefix.lowercased() == "xmpp:", let mark = text.firstIndex(of: "?") else { return nil }
    let parts = text[text.index(after: mark)...].split(separator: ";")
    var fields: [Substring: String] = [:]
    for part in parts.dropFirst() {
      let pair = part.split(separator: "=", maxSplits: 1)
      if pair.count == 2 { fields[pair[0]] = Self.decoded(pair[1]) }
    }
    guard let token = fields["preauth"], !token.isEmpty, token.utf8.count <= 1024,
      let jid = JID(parsing: Self.decoded(text[text.index(text.startIndex, offsetBy: 5)..<mark]))
    else { return nil }
    switch parts.first {
    case "register": address = jid.bare
    // The user name is that of the inviter; the new account has its own.
    case "roster" where fields["ibr"] == "y": address = JID(local: nil, domain: jid.domain)
    default: return nil
    }
    self.token = token
  }

  private static func decoded(_ text: Substring) -> String {
    String(bounding: PercentDecoding.bytes(of: text))
  }
}
