import Synchronization

/// The bytes that wait for one client, up to a limit. The server appends them after each batch, and
/// the connection's writer takes them.
///
/// A mutex and not an actor: the server appends at the end of a batch and must not wait.
final class OutboundQueue: Sendable {
  /// The bytes of one write.
  struct Portion {
    var bytes: [UInt8] = []
    /// The row ids of the stored messages among the bytes.
    var messages: [Int64] = []
  }

  private struct State {
    var waiting = Portion()
    /// The number of bytes that the writer has taken and not yet written.
    var leaving = 0
    var isFinished = false
  }

  private let state = Mutex(State())
  private let limit: Int
  private let wake: AsyncStream<Void>.Continuation
  /// Yields whenever there are bytes to take; finishes with the queue.
  let signals: AsyncStream<Void>

  private let end: AsyncStream<Void>.Continuation
  /// A stream without elements, which finishes when no more bytes will be added.
  let ending: AsyncStream<Void>

  /// - Parameter limit: the largest number of waiting bytes.
  init(limit: Int) {
    self.limit = limit
    (ending, end) = AsyncStream.makeStream()
    (signals, wake) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  /// Appends bytes; ignores them after the last portion (`isLast`) or `close()`.
  /// - Returns: false when more than the limit would wait. The bytes are dropped then.
  func append(_ bytes: [UInt8], messages: [Int64] = [], isLast: Bool = false) -> Bool {
    let isTaken = state.withLock { state in
      guard !state.isFinished else { return true }
      // The final stream error is short, and the client should receive it in any case.
      let isWithin = isLast || state.waiting.bytes.count + state.leaving + bytes.count <= limit
      if isWithin {
        state.waiting.bytes += bytes
        state.waiting.messages += messages
      }
      if isLast { state.isFinished = true }
      return isWithin
    }
    wake.yield()
    if isLast { end.finish() }
    return isTaken
  }

  /// Returns the waiting bytes, or `nil` if there are none. Also records that the previous portion
  /// was written.
  func take() -> Portion? {
    state.withLock { state in
      state.leaving = 0
      guard !state.waiting.bytes.isEmpty else { return nil }
      defer { state.waiting = Portion() }
      state.leaving = state.waiting.bytes.count
      return state.waiting
    }
  }

  /// Indicates whether no more bytes will be added.
  var isFinished: Bool { state.withLock(\.isFinished) }

  /// Closes the queue and drops the waiting bytes.
  func close() {
    state.withLock { state in
      state.waiting = Portion()
      state.isFinished = true
    }
    wake.finish()
    end.finish()
  }
}
