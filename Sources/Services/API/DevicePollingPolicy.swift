import HTTP
import NatterCore

/// The polling interval and give-up policy of the device grant (RFC 8628 §3.5).
struct DevicePollingPolicy {
  /// The delay before the next request.
  private(set) var interval: Duration
  /// The failure of the last request, if it failed temporarily.
  private(set) var trouble: ConnectionProblem?
  /// Indicates whether the server ever replied as a token endpoint does.
  private var hasAnswered = false
  /// The number of consecutive invalid replies.
  private var strikes = 0

  private static let strikeLimit = 3

  init(interval: Duration) { self.interval = interval }

  /// Processes the result of one request.
  /// - Returns: the token, once it is granted.
  /// - Throws: `ConnectionProblem` if further requests are pointless; `CancellationError`.
  mutating func heard(
    _ answer: Result<GrantReply<TokenReply>, APIError>, from address: WebAddress
  ) throws -> TokenReply? {
    switch answer {
    case .success(.granted(let reply)): return reply
    case .success(.waiting): answered()
    case .success(.slowDown):
      answered()
      // Five seconds more, for all further requests.
      interval += .seconds(5)
    case .failure(let error):
      if error.isCancellation { throw CancellationError() }
      // The server was not reached, which implies nothing about its support of the grant.
      try note(ConnectionProblem(error, host: address.host, port: address.port))
    case .success(let reply):
      strikes += 1
      do throws(ConnectionProblem) {
        _ = try reply.value(from: address, invalidGrant: .codeExpired)
      } catch {
        if reply.isUseless || strikes >= Self.strikeLimit && !hasAnswered { throw error }
        try note(error)
      }
    }
    return nil
  }

  private mutating func answered() {
    (hasAnswered, strikes, trouble) = (true, 0, nil)
  }

  private mutating func note(_ problem: ConnectionProblem) throws {
    guard !problem.isPermanent else { throw problem }
    trouble = problem
    // After a failure, doubles the interval, with the server's delay as the minimum.
    let wanted = Duration.seconds(min(problem.retryAfter ?? 0, 300))
    interval = max(min(interval * 2, .seconds(60)), wanted)
  }
}
