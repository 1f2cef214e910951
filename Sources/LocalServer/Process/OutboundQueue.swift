import Synchronization

/// The bytes that wait for one client, up to a limit: written by the server's turns, taken by the
/// connection's writer.
///
/// A mutex and not an actor: the server hands bytes over at the end of a turn and must not wait.
final class OutboundQueue: Sendable {
  /// What the writer takes at once.
  struct Portion {
    var bytes: [UInt8] = []
    /// Rows of stored messages among the bytes.
    var messages: [Int64] = []
  }

  private struct State {
    var waiting = Portion()
    /// How many bytes the writer has taken and not yet handed over.
    var leaving = 0
    var isFinished = false
  }

  private let state = Mutex(State())
  private let limit: Int
  private let wake: AsyncStream<Void>.Continuation
  /// One element whenever there is something to take; ends with the queue.
  let signals: AsyncStream<Void>

  private let end: AsyncStream<Void>.Continuation
  /// Without elements: it ends when nothing will be added any more.
  let ending: AsyncStream<Void>

  /// - Parameter limit: how many bytes may wait.
  init(limit: Int) {
    self.limit = limit
    (ending, end) = AsyncStream.makeStream()
    (signals, wake) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  /// Adds bytes; none are taken after `finish`.
  /// - Returns: false when the client lags behind by more than the limit. The bytes are dropped
  ///   then.
  func append(_ bytes: [UInt8], messages: [Int64] = [], isLast: Bool = false) -> Bool {
    let isTaken = state.withLock { state in
      guard !state.isFinished else { return true }
      // The farewell is short and is to be heard.
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

  /// What waits; `nil` when nothing does. Says at the same time that the portion before has left.
  func take() -> Portion? {
    state.withLock { state in
      state.leaving = 0
      guard !state.waiting.bytes.isEmpty else { return nil }
      defer { state.waiting = Portion() }
      state.leaving = state.waiting.bytes.count
      return state.waiting
    }
  }

  /// Whether nothing will be added any more.
  var isFinished: Bool { state.withLock(\.isFinished) }

  /// Ends the queue; what waits in it is dropped.
  func close() {
    state.withLock { state in
      state.waiting = Portion()
      state.isFinished = true
    }
    wake.finish()
    end.finish()
  }
}
