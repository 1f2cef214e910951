import HTTP
import NatterCore

/// How often a token endpoint is asked whether the person has decided, and how long what it answers is borne (RFC 8628 §3.5).
struct DevicePollingPolicy {
  /// How long to wait until the next question.
  private(set) var interval: Duration
  /// What the last question came to, where that was no answer.
  private(set) var trouble: ConnectionProblem?
  /// Whether it ever answered as such a server does.
  private var hasAnswered = false
  /// How many answers in a row were none.
  private var strikes = 0

  private static let strikeLimit = 3

  init(interval: Duration) { self.interval = interval }

  /// Takes in what came of one question.
  /// - Returns: the token, once there is one.
  /// - Throws: `ConnectionProblem` when no further question would be of use; `CancellationError`.
  mutating func heard(
    _ answer: Result<GrantReply<TokenReply>, APIError>, from address: WebAddress
  ) throws -> TokenReply? {
    switch answer {
    case .success(.granted(let reply)): return reply
    case .success(.waiting): answered()
    case .success(.slowDown):
      answered()
      // Five seconds more, for this and all further questions.
      interval += .seconds(5)
    case .failure(let error):
      if error.isCancellation { throw CancellationError() }
      // Nobody was reached: it says nothing of the server.
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
    // No answer this time: twice as long until the next question, and as long as the server says.
    let wish = Duration.seconds(min(problem.retryAfter ?? 0, 300))
    interval = max(min(interval * 2, .seconds(60)), wish)
  }
}
