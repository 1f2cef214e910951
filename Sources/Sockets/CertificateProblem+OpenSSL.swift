extension CertificateProblem {
  /// What OpenSSL's verdict on a certificate means (`X509_V_ERR_…`, openssl-verification-options(1)).
  /// - Parameter verifyResult: `CURLINFO_SSL_VERIFYRESULT`.
  /// - Parameter detail: libcurl's text.
  package init(verifyResult: Int, detail: String) {
    switch verifyResult {
    case 9, 11, 13: self = .notYetValid
    case 10, 12, 14: self = .expired
    case 18: self = .selfSigned
    // 19: an authority that signed itself, as all do, and that is not known here.
    case 2, 19, 20, 21, 27: self = .untrustedIssuer
    case 23: self = .revoked
    case 62, 63, 64: self = .wrongName
    // libcurl compares names itself, and OpenSSL was content then.
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
