/// The detection of a dead connection (flows.md, "Long connection"): requests a response, repeats
/// the request, gives up.
package struct Heartbeat: Sendable {
  /// The reason why the beats ended: the connection is dead, or the task was cancelled.
  package enum Verdict: Sendable { case dead, stopped }

  /// The wait between two beats.
  package let interval: Duration
  /// The time limit of a response.
  package let answerLimit: Duration
  /// The number of repetitions of an unanswered beat.
  package let resends: Int

  package init(
    interval: Duration = .seconds(60), answerLimit: Duration = .seconds(15), resends: Int = 2
  ) {
    self.interval = interval
    self.answerLimit = answerLimit
    self.resends = resends
  }

  /// Returns the time that a server may be silent after it resumed a session.
  ///
  /// The setup of the connection took several round trips just now: a server that is silent for
  /// longer than all of them together has not received the next request. A dead session does not
  /// deserve the patience for an idle line.
  /// - Parameter setUp: the duration of the setup, in seconds.
  func silenceLimit(setUp: Double) -> Duration {
    min(answerLimit, max(Self.shortestSilence, .seconds(setUp)))
  }

  private static let shortestSilence = Duration.seconds(5)

  /// Sends beats until the server no longer answers or the task is cancelled.
  /// - Parameter wait: returns after that time, or sooner when a beat is due at once
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
