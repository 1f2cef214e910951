/// The reason why a connection could not be established or broke.
package enum SocketError: Error, Equatable, Sendable {
  /// The host's name has no address.
  case unknownHost(String)
  /// The domain offers no such service (an SRV record with target `.`, RFC 2782).
  case serviceNotOffered(String)
  /// Nothing listens on the port (ECONNREFUSED).
  case refused(host: String, port: Int)
  /// No answer within the time limit.
  case timedOut(host: String, port: Int)
  /// No route, network down, and other reasons of the operating system.
  case unreachable(host: String, port: Int, errno: CInt)
  /// The connection was closed by this side, or reset.
  case closed
  /// TLS is disabled and the host is not this machine: nothing was sent.
  case clearTextRefused(host: String)
  /// Another error of the operating system while connected.
  case system(errno: CInt)
  /// The server's certificate failed a check.
  case certificate(CertificateProblem, host: String, detail: String)
  /// The file of trusted authorities cannot be used; `detail` contains its name and the reason.
  case authorities(String)
  /// TLS failed for a reason other than the certificate; `detail` is the TLS library's own text.
  case tls(String)
  /// libcurl cannot be used; the system's reason, or an empty text.
  case library(String)
}

/// The failed check of a server's certificate (RFC 6125, RFC 7590).
package enum CertificateProblem: String, Equatable, Sendable {
  case untrustedIssuer, selfSigned, expired, notYetValid, wrongName, revoked, other
}
