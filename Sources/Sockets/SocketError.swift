/// Why a connection could not be made or broke.
package enum SocketError: Error, Equatable, Sendable {
  /// The host's name has no address.
  case unknownHost(String)
  /// The domain says that it offers no such service (an SRV record with target `.`, RFC 2782).
  case serviceNotOffered(String)
  /// Nothing listens on the port (ECONNREFUSED).
  case refused(host: String, port: Int)
  /// No answer within the time limit.
  case timedOut(host: String, port: Int)
  /// No route, network down, and other reasons of the operating system.
  case unreachable(host: String, port: Int, errno: CInt)
  /// The connection was closed by this side, or reset.
  case closed
  /// TLS is off and the host is not this machine: nothing was sent.
  case clearTextRefused(host: String)
  /// Another error of the operating system while connected.
  case system(errno: CInt)
  /// The server's certificate did not pass a check.
  case certificate(CertificateProblem, host: String, detail: String)
  /// The file of authorities to trust cannot be used; `detail` names it and says why.
  case authorities(String)
  /// TLS failed for a reason that is not the certificate's; `detail` is the TLS library's own text.
  case tls(String)
  /// libcurl cannot be used; in the system's words why, or none.
  case library(String)
}

/// Which check of a server's certificate failed (RFC 6125, RFC 7590).
package enum CertificateProblem: String, Equatable, Sendable {
  case untrustedIssuer, selfSigned, expired, notYetValid, wrongName, revoked, other
}
