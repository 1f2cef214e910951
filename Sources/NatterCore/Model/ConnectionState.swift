import FoundationEssentials

/// How the account stands with its server (flows.md, "Long connection"): always on the screen.
package enum ConnectionState: Hashable, Sendable {
  /// The person asked to stay offline, or nothing was begun yet.
  case offline
  case connecting(host: String)
  case online
  /// The connection is down; the next attempt begins at `until`.
  case waiting(until: Date, reason: ConnectionProblem)
  /// The server refuses this account, or is not the one that it should be. Where that may pass, it is tried again now and then.
  case refused(ConnectionProblem)

  package var isOnline: Bool { self == .online }
}

/// Why there is no connection, told so that a person can act on it (interface.md, "Alert").
package struct ConnectionProblem: Error, Hashable, Sendable {
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    case unknownHost, serviceNotOffered
    /// A server answered, and is none of the account's domain (RFC 6120 §4.9.3.6).
    case domainNotServed
    case refused, timedOut, unreachable, closed
    /// The connection came about and ended before the other side had said anything.
    case closedAtOnce
    case certificateUntrusted, certificateSelfSigned, certificateExpired, certificateNotYetValid
    case certificateWrongName, certificateOther, tlsFailed, tlsUnavailable
    /// The file of authorities to trust cannot be read, or holds none.
    case authoritiesUnusable
    /// TLS was to be left out, and the server takes nobody without it.
    case tlsRequired
    /// TLS was to be left out, and the server is on another computer.
    case clearTextRefused
    case wrongPassword, accountDisabled, credentialsExpired, mechanismTooWeak, notAuthorized
    /// The server does not take the access token (any more), or not for this.
    case tokenRefused, scopeMissing
    /// The server has no sign-in with a browser.
    case browserNotOffered
    /// Somebody said no in the browser.
    case declined
    /// The code to type in a browser was not typed in time (RFC 8628 §3.5).
    case codeExpired
    /// What a person brought back from a browser holds no code, or one that the server does not take.
    case codeRefused
    /// A token that was given out just now, and that the chat service does not take.
    case webTokenUseless
    /// At the address that was given there is no sign-in over HTTP.
    case webSignInMissing
    case conflict, policyViolation, serverShutdown, serverError, notXMPP
    /// The server does not take what this program says, or the other way round: a fault in one of the two programs.
    case notUnderstood
    /// The server sends this account to another one that was not followed (RFC 6120 §4.9.3.19).
    case movedAway
    /// The server has heard nothing for too long (RFC 6120 §4.9.3.4).
    case idleTooLong
    /// The server did not show that it knows the password (RFC 5802 §3): it may be another one than it says.
    case serverUnproven
    /// The server offers only ways to sign in that show more of the password than the last time, or than what it offers beside
    /// them: it may be somebody in its place.
    case signInWeakened
    /// What the server offers for signing in was changed on the way (XEP-0474).
    case signInTampered
    /// The server keeps passwords so that what is sent would let others guess them (RFC 7677 §4).
    case hashingTooWeak
    /// The server asks for more computing than any server needs.
    case hashingTooCostly
    /// The server signed another account in than the one that was asked for (RFC 6120 §7.6).
    case otherAccount
    /// The built-in server does not run; `detail` has the reason as a sentence.
    case localServerFailed
    /// The server has too much to do just now, or was asked too often (RFC 6585 §4).
    case busy
    /// The server makes no accounts this way.
    case registrationRefused
    /// Somebody else has the name that the new account was to have.
    case nameTaken
    /// The server takes newcomers, and something in the form is not as it wants it.
    case formRejected
    /// No password and no token of the account is kept on this computer.
    case notSignedIn
    /// What this computer keeps the password or token in did not give it: nobody was asked yet. `cause` says why.
    case secretUnavailable
  }

  package let kind: Kind
  /// The host that was asked; empty when none was.
  package let host: String
  /// The port; 0 when none was.
  package let port: Int
  /// More for the report: the TLS library's, the server's or the system's own words. From outside: to be shown made safe.
  package let detail: String
  /// The domain that the certificate was checked for, where that is not what was connected to.
  package var certificateName: String?
  /// Where the server says how to get another token (RFC 7628 §3.2.2). From outside.
  package var loginURL: String?
  /// How long the server wants to be left alone, in seconds; `nil`: it does not say.
  package var retryAfter: Double?
  /// Whether it came in place of an answer to the wish to go on with a session.
  package var isAboutResumption = false
  /// What lies behind it, in words of this program; it is told in place of `detail`.
  package var cause: NatterError?
  /// Whether the server was named by a person, and not found by the address.
  package var isServerNamed = false

  package init(_ kind: Kind, host: String = "", port: Int = 0, detail: String = "") {
    self.kind = kind
    self.host = host
    self.port = port
    self.detail = detail
  }

  /// What keeps the secret on this computer did not give it.
  package init(secretUnavailable error: any Error) {
    self.init(.secretUnavailable)
    cause = NatterError(telling: error, orElse: .storage, key: "error.storage.read")
  }

  /// Who is meant, for a sentence: the domain that one wanted to reach rather than the host that stood for it.
  package var subject: String { certificateName ?? host }

  /// What was asked, for the log: with its port where there is one.
  package var place: String { port > 0 ? "\(host):\(port)" : host }

  /// Whether the user has to say something before it goes on: mostly, another password.
  package var asksForCredentials: Bool {
    switch kind {
    case .wrongPassword, .credentialsExpired, .notAuthorized, .tokenRefused, .scopeMissing,
      .notSignedIn, .signInWeakened:
      true
    default: false
    }
  }

  /// Whether it was Natter that ended the connection, because going on would not be safe, and not the server.
  package var isOwnRefusal: Bool {
    switch kind {
    case .tlsUnavailable, .clearTextRefused, .authoritiesUnusable, .mechanismTooWeak,
      .serverUnproven, .signInWeakened, .signInTampered, .hashingTooWeak, .hashingTooCostly,
      .otherAccount:
      true
    default: concernsCertificate
    }
  }

  /// Whether it may go away without the person: what another network shows in the server's place (its certificate, its page),
  /// or a server that is being set up.
  package var mayPass: Bool {
    switch kind {
    case .tlsUnavailable, .serviceNotOffered, .domainNotServed, .notXMPP, .serverUnproven,
      .signInTampered, .otherAccount:
      true
    default: concernsCertificate || !isPermanent
    }
  }

  /// Whether trying again at once is pointless: something has to change, mostly by a person.
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
  /// For the log: nothing that anybody else said, who may have quoted a secret.
  package var description: String { place.isEmpty ? kind.rawValue : "\(kind.rawValue) (\(place))" }
}
