import Sockets

extension ConnectionProblem.Kind {
  /// What a certificate that did not pass a check means for the person, whoever showed it: a chat server or a web service.
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
  /// Whether the certificate is what is wrong.
  package var concernsCertificate: Bool {
    switch kind {
    case .certificateUntrusted, .certificateSelfSigned, .certificateExpired,
      .certificateNotYetValid, .certificateWrongName, .certificateOther:
      true
    default: false
    }
  }
}
