/// Stores what arrived, however long that takes: once it is acknowledged to the server
/// (XEP-0198 §4), the server does not send it again.
///
/// A full disk must not lose a message. The user is notified of the failure, and the write is
/// retried until it succeeds, which is reported as well, or the task is cancelled.
package struct RetryingWrite: Sendable {
  private let hub: EventHub?
  private let report: @Sendable (String) -> Void
  private let sleep: @Sendable (Duration) async throws -> Void

  private static let pause = Duration.seconds(2)

  /// - Parameters:
  ///   - hub: receives a notice of each failure; `nil`: no notice.
  ///   - sleep: waits until the next attempt.
  ///   - report: writes a line to the log.
  package init(
    hub: EventHub?,
    sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) },
    report: @escaping @Sendable (String) -> Void
  ) {
    (self.hub, self.sleep, self.report) = (hub, sleep, report)
  }

  /// Repeats `write` until it succeeds; so running it twice must be harmless. It runs at least
  /// once, even in a cancelled task: what a connection delivered right before its end is not sent
  /// again.
  /// - Parameter subject: what is stored, for the log: `12 messages`.
  /// - Returns: `nil` if the task was cancelled: then it is not stored, and must not be
  ///   acknowledged.
  @discardableResult
  package func perform<Value: Sendable>(_ subject: String, _ write: () async throws -> Value) async
    -> Value?
  {
    var hasFailed = false
    while true {
      do {
        let value = try await write()
        if hasFailed { hub?.publish(.storageWorks) }
        return value
      } catch {
        hasFailed = true
        report("storing \(subject) failed: \(error)")
        hub?.publish(
          .notice(
            NatterError(reporting: error, orElse: .storage, key: "error.storage.write").notice))
        do { try await sleep(Self.pause) } catch { return nil }
        if Task.isCancelled { return nil }
      }
    }
  }
}
