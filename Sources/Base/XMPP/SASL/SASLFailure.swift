import XML

/// The reason why authentication failed (RFC 6120 §6.5).
package struct SASLFailure: Error, Hashable, Sendable {
  /// The defined conditions, with their names on the wire.
  package enum Condition: String, Hashable, Sendable, CaseIterable {
    case aborted
    case accountDisabled = "account-disabled"
    case credentialsExpired = "credentials-expired"
    case encryptionRequired = "encryption-required"
    case incorrectEncoding = "incorrect-encoding"
    case invalidAuthzid = "invalid-authzid"
    case invalidMechanism = "invalid-mechanism"
    case malformedRequest = "malformed-request"
    case mechanismTooWeak = "mechanism-too-weak"
    case notAuthorized = "not-authorized"
    case temporaryAuthFailure = "temporary-auth-failure"
  }

  package let condition: Condition
  /// The server's text. It is outside data: make it safe before showing it.
  package let text: String?

  package init(_ condition: Condition, text: String? = nil) {
    self.condition = condition
    self.text = text
  }

  /// Reads a `<failure/>`; a condition that the RFC does not define counts as `not-authorized`.
  package init(_ element: Element) {
    var condition = Condition.notAuthorized
    var text: String?
    let spaces = [Namespace.sasl, Namespace.sasl2]
    for child in element.elements where spaces.contains(child.namespace) {
      if child.name == "text" {
        text = child.text
      } else if let known = Condition(rawValue: child.name) {
        condition = known
      }
    }
    self.init(condition, text: text)
  }
}

/// A failed check of the server's part of the exchange: the server is an impostor, or does not
/// implement SCRAM correctly.
package enum SCRAMError: Error, Hashable, Sendable {
  /// A message that RFC 5802 §7 does not allow; names the part.
  case malformed(String)
  /// The server's nonce does not begin with the client's.
  case wrongNonce
  /// So few iterations that the client's proof would let an attacker guess the password
  /// (RFC 7677 §4).
  case tooFewIterations(Int)
  /// More iterations than any real server requires: they would only keep this machine busy.
  case tooManyIterations(Int)
  /// The server does not know the password (RFC 5802 §3): it is an impostor.
  case wrongServerSignature
  /// The server's own error value (§7, `e=`).
  case refused(String)
  /// The list that arrived differs from the list that the server sent: it was changed on the way
  /// (XEP-0474).
  case announcementChanged
  /// The server does not repeat its list, although it has to be verified (XEP-0474).
  case announcementMissing
  /// The password contains characters that passwords must not contain (RFC 4013).
  case unusablePassword
}
