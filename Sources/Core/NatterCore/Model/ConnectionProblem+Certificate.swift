import Sockets

extension ConnectionProblem.ProblemKind {
  /// The problem to show for a certificate that failed a check, whether a chat server or a web
  /// service presented it.
  package init(_ problem: CertificateProblem) {
    self =
      switch problem {
      case .untrustedIssuer: .certificateUntrusted
      case .selfSigned: .certificateSelfSigned
      case .expired: .certificateExpired
      case .notYetValid: .certificateNotYetValid
      case .wrongName: .certificateWrongName
      case .revoked, .other: .certificateOther
      }
  }
}

extension ConnectionProblem {
  /// Indicates whether the certificate is the cause.
  package var concernsCertificate: Bool {
    switch kind {
    case .certificateUntrusted, .certificateSelfSigned, .certificateExpired,
      .certificateNotYetValid, .certificateWrongName, .certificateOther:
      true
    default: false
    }
  }
}
