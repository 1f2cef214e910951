/// Why authentication failed (RFC 6120 §6.5).
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
  /// The server's own words; from outside, to be shown made safe.
  package let text: String?

  package init(_ condition: Condition, text: String? = nil) {
    self.condition = condition
    self.text = text
  }

  /// Reads a `<failure/>`; a condition the RFC does not define counts as `not-authorized`.
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

/// The server's part of the exchange does not hold: it is not who it claims to be, or does not speak SCRAM.
package enum SCRAMError: Error, Hashable, Sendable {
  /// A message that RFC 5802 §7 does not allow; says which part.
  case malformed(String)
  /// The server's nonce does not begin with ours.
  case wrongNonce
  /// So few iterations that what is sent would give the password away to guessing (RFC 7677 §4).
  case tooFewIterations(Int)
  /// More iterations than any server asks for: it would only keep this machine busy.
  case tooManyIterations(Int)
  /// The server does not know the password either (RFC 5802 §3): an impostor.
  case wrongServerSignature
  /// The server's own error value (§7, `e=`).
  case refused(String)
  /// What the server says that it offered is not what arrived: it was changed on the way (XEP-0474).
  case announcementChanged
  /// The server does not say what it offered, where that has to be known (XEP-0474).
  case announcementMissing
  /// The password has characters that passwords cannot have (RFC 4013).
  case unusablePassword
}
