/// Notices a dead connection (flows.md, "Long connection"): asks for a sign of life, asks again,
/// gives up.
package struct Heartbeat: Sendable {
  package enum Verdict: Sendable { case dead, stopped }

  /// The wait between two beats.
  package let interval: Duration
  /// How long an answer may take.
  package let answerLimit: Duration
  /// How often an unanswered beat is sent again.
  package let resends: Int

  package init(
    interval: Duration = .seconds(60), answerLimit: Duration = .seconds(15), resends: Int = 2
  ) {
    self.interval = interval
    self.answerLimit = answerLimit
    self.resends = resends
  }

  /// How long a server that took up a session may be silent in it.
  ///
  /// To set up the connection took several questions and answers just now: who is longer silent than for all of them together
  /// has not heard the next one. A dead session is not worth the patience that a line at rest deserves.
  /// - Parameter setUp: how long it took, in seconds.
  func silenceLimit(setUp: Double) -> Duration {
    min(answerLimit, max(Self.shortestSilence, .seconds(setUp)))
  }

  private static let shortestSilence = Duration.seconds(5)

  /// Beats until the server no longer answers or the task is cancelled.
  /// - Parameter wait: returns after that long, or sooner when a beat is due at once
  ///   (flows.md, "Long connection": after sleep, and after a change of the network).
  func watch(_ stream: any LiveStream, wait: @Sendable (Duration) async throws -> Void) async
    -> Verdict
  {
    while true {
      do { try await wait(interval) } catch { return .stopped }
      var failures = 0
      while true {
        do {
          try await stream.probe(limit: answerLimit)
          break
        } catch {
          if Task.isCancelled { return .stopped }
          failures += 1
          if failures > resends { return .dead }
        }
      }
    }
  }
}
