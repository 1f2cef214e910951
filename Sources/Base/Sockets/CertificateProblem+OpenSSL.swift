extension CertificateProblem {
  /// Creates the problem for OpenSSL's verification result (`X509_V_ERR_…`,
  /// openssl-verification-options(1)).
  /// - Parameter verifyResult: `CURLINFO_SSL_VERIFYRESULT`.
  /// - Parameter detail: libcurl's text.
  package init(verifyResult: Int, detail: String) {
    switch verifyResult {
    case 9, 11, 13: self = .notYetValid
    case 10, 12, 14: self = .expired
    case 18: self = .selfSigned
    // 19: a self-signed authority, as all root authorities are, that is not in the trust store.
    case 2, 19, 20, 21, 27: self = .untrustedIssuer
    case 23: self = .revoked
    case 62, 63, 64: self = .wrongName
    // libcurl compares names itself, after OpenSSL has accepted the certificate.
    case _ where Self.namesDiffer(detail): self = .wrongName
    default: self = .other
    }
  }

  private static func namesDiffer(_ detail: String) -> Bool {
    // "SSL: no alternative certificate subject name matches target host name 'x'",
    // "SSL: certificate subject name 'y' does not match target host name 'x'",
    // "SSL: unable to obtain common name from peer certificate"
    detail.contains("host name") || detail.contains("common name")
  }
}
