import HTTP
import NatterCore

/// Why a call to a web service failed.
package enum APIError: Error, Equatable, Sendable {
  /// The service was not reached, or the response was no HTTP reply.
  case transport(HTTPError)
  /// The service replied with an error status.
  case status(Refusal)
  /// The reply is a success, but its content is not the expected type; for the log.
  case malformed(String)

  /// A reply with an error status.
  package struct Refusal: Equatable, Sendable {
    package let status: Int
    /// The service's text for users, one line; `nil` if there is none. Untrusted: it has to be made
    /// safe for display.
    package let serverText: String?
    package let headers: HTTPHeaders
    /// The whole body, in its original format.
    package let body: [UInt8]

    package init(status: Int, serverText: String?, headers: HTTPHeaders = [:], body: [UInt8] = []) {
      self.status = status
      self.serverText = serverText
      self.headers = headers
      self.body = body
    }
  }

  /// Indicates whether the calling task was cancelled.
  package var isCancellation: Bool { self == .transport(.cancelled) }
}
