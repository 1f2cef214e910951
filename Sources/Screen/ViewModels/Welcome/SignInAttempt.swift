import NatterCore

/// A running sign-in or registration: its progress in order, its end, and its cancellation.
///
/// After `cancel` no callback follows, however long the network takes to notice.
final class SignInAttempt {
  private var work: Task<Void, Never>?
  private var following: Task<Void, Never>?
  private var isCancelled = false

  /// - Parameters:
  ///   - action: the work; it reports its progress from any thread.
  ///   - onEnd: called once, unless the attempt was cancelled.
  init<Answer: Sendable>(
    _ action: @escaping (@escaping @Sendable (SignInProgress) -> Void) async throws -> Answer,
    onProgress: @escaping (SignInProgress) -> Void,
    onEnd: @escaping (Result<Answer, any Error>) -> Void
  ) {
    let (steps, report) = AsyncStream<SignInProgress>.makeStream()
    let following = Task { [weak self] in
      for await step in steps where self?.isCancelled == false { onProgress(step) }
    }
    self.following = following
    work = Task { [weak self] in
      let result: Result<Answer, any Error>
      do {
        result = .success(try await action { report.yield($0) })
      } catch {
        result = .failure(error)
      }
      report.finish()
      // The last progress must not overwrite the result's text.
      await following.value
      if self?.isCancelled == false { onEnd(result) }
    }
  }

  isolated deinit {
    work?.cancel()
    following?.cancel()
  }

  func cancel() {
    isCancelled = true
    work?.cancel()
    following?.cancel()
  }

  /// Returns when no part of it runs any more.
  func ended() async { await work?.value }
}
