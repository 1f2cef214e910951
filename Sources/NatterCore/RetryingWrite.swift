/// Stores what arrived, however long that takes: once it is acknowledged to the server (XEP-0198 §4), it does not come again.
///
/// A disk that is full must not cost what somebody sent. The person is told, and it is tried again until it is stored, which
/// is told as well, or the task is cancelled.
package struct RetryingWrite: Sendable {
  private let hub: EventHub?
  private let report: @Sendable (String) -> Void
  private let sleep: @Sendable (Duration) async throws -> Void

  private static let pause = Duration.seconds(2)

  /// - Parameters:
  ///   - hub: where the person is told of each failure; `nil`: he is not.
  ///   - sleep: waits until the next attempt.
  ///   - report: writes a line into the log.
  package init(
    hub: EventHub?,
    sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) },
    report: @escaping @Sendable (String) -> Void
  ) {
    (self.hub, self.sleep, self.report) = (hub, sleep, report)
  }

  /// Does `write` until it succeeds; so it must do no harm when it is done twice. It is tried once whatever becomes of the
  /// task: what a connection has told right before its end is told by nobody again.
  /// - Parameter subject: what is stored, for the log: `12 messages`.
  /// - Returns: `nil` when the task was cancelled: then it is not stored, and must not be acknowledged.
  @discardableResult
  package func insist<Value: Sendable>(on subject: String, _ write: () async throws -> Value) async
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
          .notice(NatterError(telling: error, orElse: .storage, key: "error.storage.write").notice))
        do { try await sleep(Self.pause) } catch { return nil }
        if Task.isCancelled { return nil }
      }
    }
  }
}
