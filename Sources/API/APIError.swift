import HTTP
import NatterCore

/// Why a call to a web service failed.
package enum APIError: Error, Equatable, Sendable {
  /// The service was not reached, or what came back was no reply.
  case transport(HTTPError)
  /// The service says no.
  case status(Refusal)
  /// It says yes, and what it says is not what was asked for; for the log.
  case malformed(String)

  /// A reply that says no.
  package struct Refusal: Equatable, Sendable {
    package let status: Int
    /// The service's own words, one line made for people; `nil` when it has none. From outside: shown made safe.
    package let words: String?
    package let headers: HTTPHeaders
    /// All it said, in the form it chose.
    package let body: [UInt8]

    package init(status: Int, words: String?, headers: HTTPHeaders = [:], body: [UInt8] = []) {
      self.status = status
      self.words = words
      self.headers = headers
      self.body = body
    }
  }

  /// Whether the task that called was cancelled.
  package var isCancellation: Bool { self == .transport(.cancelled) }
}
