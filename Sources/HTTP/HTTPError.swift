import Sockets

/// Why there is no reply. A status such as 404 is a reply.
package enum HTTPError: Error, Equatable, Sendable {
  /// Neither `https` nor this machine: nothing was sent.
  case clearTextRefused(host: String)
  /// A header field that would end its line early, or is none: nothing was sent.
  case invalidHeader(name: String)
  /// The host's name has no address.
  case unknownHost(String)
  /// The host is on this machine or on a private network, where this request may not go: nothing was sent.
  case privateNetwork(host: String, address: [UInt8])
  /// Nothing listens there.
  case refused(host: String, port: Int)
  /// No way there.
  case unreachable(host: String, port: Int, errno: CInt)
  /// It took longer than allowed.
  case timedOut(host: String)
  /// Nothing came or went for longer than allowed.
  case stalled(host: String)
  /// The connection broke, or was closed, before the reply was complete.
  case broken(host: String)
  /// The connection was reset, or ended, while TLS was being agreed upon: nothing of the request was sent.
  case handshakeBroken(host: String)
  /// The reply ended before the length that it told.
  case incomplete(host: String)
  /// A redirection that is not followed; where it leads, as the server wrote it.
  case redirectRefused(to: String)
  case tooManyRedirects
  /// The reply is longer than allowed.
  case tooLarge(limit: Int)
  /// What came is not HTTP, or does not fit the request; for the log.
  case malformed(String)
  /// Another part of the file came than the one that was asked for (RFC 9110 §14.4); for the log.
  case wrongRange(String)
  /// The file that is sent could not be read, or is shorter than it was (`errno` 0).
  case unreadable(errno: CInt)
  /// The file could not be written: the disk is full (ENOSPC), for example.
  case unwritable(errno: CInt)
  /// The server's certificate did not pass a check.
  case certificate(CertificateProblem, host: String, detail: String)
  /// TLS failed for another reason; the library's own text.
  case tls(String)
  /// The proxy of the environment does not do its part; libcurl's text.
  case proxy(String)
  /// The proxy of the environment answered that it leads nowhere for this request, and does not say that this may pass;
  /// libcurl's text.
  case proxyRefused(String)
  /// libcurl is missing or too old.
  case library(String)
  /// The task that asked was cancelled.
  case cancelled
}
