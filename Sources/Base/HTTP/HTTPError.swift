import Sockets

/// The reason why there is no reply. A status such as 404 is a reply.
package enum HTTPError: Error, Equatable, Sendable {
  /// The address is neither `https` nor on this machine: nothing was sent.
  case clearTextRefused(host: String)
  /// A header field with an invalid name, or a value that would end its line early: nothing was
  /// sent.
  case invalidHeader(name: String)
  /// The host's name has no address.
  case unknownHost(String)
  /// The host is on this machine or on a private network that this request may not reach: nothing
  /// was sent.
  case privateNetwork(host: String, address: [UInt8])
  /// Nothing listens on the port.
  case refused(host: String, port: Int)
  /// There is no route to the host.
  case unreachable(host: String, port: Int, errno: CInt)
  /// The request took longer than allowed.
  case timedOut(host: String)
  /// No data was transferred for longer than allowed.
  case stalled(host: String)
  /// The connection broke, or was closed, before the reply was complete.
  case broken(host: String)
  /// The connection was reset or closed during the TLS handshake: nothing of the request was sent.
  case handshakeBroken(host: String)
  /// The reply ended before its stated length.
  case incomplete(host: String)
  /// A redirection that is not followed; its target as the server wrote it.
  case redirectRefused(to: String)
  case tooManyRedirects
  /// The reply is longer than allowed.
  case tooLarge(limit: Int)
  /// The reply is not HTTP, or does not match the request; for the log.
  case malformed(String)
  /// The server sent another range of the file than the requested one (RFC 9110 §14.4); for the
  /// log.
  case wrongRange(String)
  /// The file to send could not be read, or is shorter than before (`errno` 0).
  case unreadable(errno: CInt)
  /// The file could not be written: the disk is full (ENOSPC), for example.
  case unwritable(errno: CInt)
  /// The server's certificate failed a check.
  case certificate(CertificateProblem, host: String, detail: String)
  /// TLS failed for another reason; the library's own text.
  case tls(String)
  /// The proxy of the environment failed; libcurl's text.
  case proxy(String)
  /// The proxy of the environment refused the request, and not temporarily; libcurl's text.
  case proxyRefused(String)
  /// libcurl is missing or too old.
  case library(String)
  /// The requesting task was cancelled.
  case cancelled
}
