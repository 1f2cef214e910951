import FoundationEssentials

/// The state of an account's connection to its server (flows.md, "Long connection"): always on the
/// screen.
package enum ConnectionState: Hashable, Sendable {
  /// The user chose to stay offline, or no attempt has begun yet.
  case offline
  case connecting(host: String)
  case online
  /// The connection is down; the next attempt begins at `until`.
  case waiting(until: Date, reason: ConnectionProblem)
  /// The server refuses this account, or is not the expected one. Where the problem may pass, it is
  /// retried from time to time.
  case refused(ConnectionProblem)

  package var isOnline: Bool { self == .online }
}

/// The reason for a missing connection, in a form that users can act on (interface.md, "Alert").
package struct ConnectionProblem: Error, Hashable, Sendable {
  /// The cause of the problem.
  package enum ProblemKind: String, Hashable, Sendable, CaseIterable {
    case unknownHost, serviceNotOffered
    /// A server answered, but does not serve the account's domain (RFC 6120 §4.9.3.6).
    case domainNotServed
    case refused, timedOut, unreachable, closed
    /// The connection was established and ended before the server sent anything.
    case closedAtOnce
    case certificateUntrusted, certificateSelfSigned, certificateExpired, certificateNotYetValid
    case certificateWrongName, certificateOther, tlsFailed, tlsUnavailable
    /// The file of certificate authorities cannot be read, or holds none.
    case authoritiesUnusable
    /// TLS was disabled, and the server requires it.
    case tlsRequired
    /// TLS was disabled, and the server is on another host.
    case clearTextRefused
    case wrongPassword, accountDisabled, credentialsExpired, mechanismTooWeak, notAuthorized
    /// The server does not accept the access token (any more), or not for this.
    case tokenRefused, scopeMissing
    /// The server has no sign-in with a browser.
    case browserNotOffered
    /// The sign-in was declined in the browser.
    case declined
    /// The code was not entered in a browser in time (RFC 8628 §3.5).
    case codeExpired
    /// The address that the user brought back from the browser holds no code, or one that the
    /// server does not accept.
    case codeRefused
    /// A token that was just issued, and that the chat service does not accept.
    case webTokenUseless
    /// The given address offers no sign-in over HTTP.
    case webSignInMissing
    case conflict, policyViolation, serverShutdown, serverError, notXMPP
    /// The server does not understand a stanza of this program, or the reverse: a bug in one of the
    /// two.
    case notUnderstood
    /// The server redirects this account to another one, which was not followed
    /// (RFC 6120 §4.9.3.19).
    case movedAway
    /// The server has received nothing for too long (RFC 6120 §4.9.3.4).
    case idleTooLong
    /// The server did not prove that it knows the password (RFC 5802 §3): it may be an impostor.
    case serverUnproven
    /// The server offers only mechanisms that reveal more of the password than the last time, or
    /// than others that it offers beside them: an attacker may be in between.
    case signInWeakened
    /// The list of mechanisms was changed on the way (XEP-0474).
    case signInTampered
    /// The server stores passwords in such a way that the response would let others guess them
    /// (RFC 7677 §4).
    case hashingTooWeak
    /// The server requires more computation than any server needs.
    case hashingTooCostly
    /// The server signed in another account than the requested one (RFC 6120 §7.6).
    case otherAccount
    /// The built-in server does not run; `detail` has the reason as a sentence.
    case localServerFailed
    /// The server is overloaded, or received too many requests (RFC 6585 §4).
    case busy
    /// The server does not register accounts in this way.
    case registrationRefused
    /// The name of the new account is taken.
    case nameTaken
    /// The server registers accounts, but does not accept a value of the form.
    case formRejected
    /// This computer stores no password and no token of the account.
    case notSignedIn
    /// The password or token could not be read from its store on this computer; no server was
    /// contacted. `cause` has the reason.
    case secretUnavailable
  }

  package let kind: ProblemKind
  /// The host that was contacted; empty if none was.
  package let host: String
  /// The port; 0 if none was contacted.
  package let port: Int
  /// More for the report: the text of the TLS library, the server or the system. Untrusted: it has
  /// to be made safe for display.
  package let detail: String
  /// The domain that the certificate was checked for, if it differs from the host.
  package var certificateName: String?
  /// The URL where the server says to get another token (RFC 7628 §3.2.2). Untrusted.
  package var loginURL: String?
  /// The delay before the next attempt that the server asks for, in seconds; `nil`: not specified.
  package var retryAfter: Double?
  /// Indicates whether it came instead of the answer to a request to resume a session.
  package var isAboutResumption = false
  /// The underlying error of this program; it is shown instead of `detail`.
  package var cause: NatterError?
  /// Indicates whether the user named the server, instead of it being found by the domain.
  package var isServerNamed = false

  package init(_ kind: ProblemKind, host: String = "", port: Int = 0, detail: String = "") {
    self.kind = kind
    self.host = host
    self.port = port
    self.detail = detail
  }

  /// The problem for a local store that did not return the secret.
  package init(secretUnavailable error: any Error) {
    self.init(.secretUnavailable)
    cause = NatterError(reporting: error, orElse: .storage, key: "error.storage.read")
  }

  /// The name to show in a sentence: the domain that the user wanted to reach rather than the host
  /// that serves it.
  package var subject: String { certificateName ?? host }

  /// The contacted host for the log, with the port if there is one.
  package var address: String { port > 0 ? "\(host):\(port)" : host }

  /// Indicates whether the user has to enter something before it continues: in most cases another
  /// password.
  package var asksForCredentials: Bool {
    switch kind {
    case .wrongPassword, .credentialsExpired, .notAuthorized, .tokenRefused, .scopeMissing,
      .notSignedIn, .signInWeakened:
      true
    default: false
    }
  }

  /// Indicates whether Natter, not the server, ended the connection, because it would not be safe.
  package var isOwnRefusal: Bool {
    switch kind {
    case .tlsUnavailable, .clearTextRefused, .authoritiesUnusable, .mechanismTooWeak,
      .serverUnproven, .signInWeakened, .signInTampered, .hashingTooWeak, .hashingTooCostly,
      .otherAccount:
      true
    default: concernsCertificate
    }
  }

  /// Indicates whether it may resolve without the user: another network answers instead of the
  /// server (its certificate, its page), or the server is being set up.
  package var mayPass: Bool {
    switch kind {
    case .tlsUnavailable, .serviceNotOffered, .domainNotServed, .notXMPP, .serverUnproven,
      .signInTampered, .otherAccount:
      true
    default: concernsCertificate || !isPermanent
    }
  }

  /// Indicates whether an immediate retry is pointless: something has to change first, in most
  /// cases by the user.
  package var isPermanent: Bool {
    switch kind {
    case .wrongPassword, .accountDisabled, .credentialsExpired, .mechanismTooWeak, .notAuthorized,
      .tokenRefused, .scopeMissing, .browserNotOffered, .declined, .codeExpired, .codeRefused,
      .webTokenUseless, .webSignInMissing, .authoritiesUnusable, .tlsUnavailable, .tlsRequired,
      .clearTextRefused, .serviceNotOffered, .domainNotServed, .conflict, .registrationRefused,
      .nameTaken, .formRejected, .notXMPP, .serverUnproven, .signInWeakened, .signInTampered,
      .hashingTooWeak, .hashingTooCostly, .otherAccount, .notSignedIn, .secretUnavailable:
      true
    default: concernsCertificate
    }
  }
}

extension ConnectionProblem: CustomStringConvertible {
  /// For the log: no text of the other side, which may quote a secret.
  package var description: String {
    address.isEmpty ? kind.rawValue : "\(kind.rawValue) (\(address))"
  }
}
