import Synchronization
import XML

/// The stanzas that a connection brought and that are not taken yet; a call takes what there is, up
/// to a limit.
///
/// Processing costs about the same for one stanza as for a hundred: a transaction written to disk,
/// a pass over the lists. When stanzas follow each other, the next ones are gathered for a moment
/// too short to notice.
final class StanzaQueue: Sendable {
  private struct State {
    var stanzas: [Stanza] = []
    /// The memory that they take, in bytes.
    var weight = 0
    var lastTaken: ContinuousClock.Instant?
    var isHurried = false
    var isFinished = false
  }

  private let state = Mutex(State())
  private let (signals, signal) = AsyncStream<Void>.makeStream(
    bufferingPolicy: .bufferingNewest(1))
  private let now: @Sendable () -> ContinuousClock.Instant
  private let sleep: @Sendable (Duration) async throws -> Void

  /// The least time between two batches while fewer than `plenty` stanzas are waiting.
  static let pause = Duration.milliseconds(20)
  static let plenty = 250
  /// The most stanzas in a batch: none of them is acknowledged before all are processed (XEP-0198
  /// `h`), and a server gives up a session that leaves too many unacknowledged.
  static let most = 400
  /// The most bytes in a batch, unless a single stanza has more: the results of processing it are
  /// in memory as well.
  static let mostBytes = 2 << 20

  init(
    now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
    sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
  ) {
    self.now = now
    self.sleep = sleep
  }

  func append(_ stanzas: [Stanza]) {
    guard !stanzas.isEmpty else { return }
    let weight = stanzas.reduce(0) { $0 + $1.element.weight }
    state.withLock {
      $0.stanzas += stanzas
      $0.weight += weight
    }
    signal.yield()
  }

  /// The memory that the waiting stanzas take, in bytes.
  var weight: Int { state.withLock { $0.weight } }

  /// Ends the queue; the stanzas in it can still be taken.
  func finish() {
    state.withLock { $0.isFinished = true }
    signal.finish()
  }

  /// Sets whether a task waits until the queue is processed, which skips the pause.
  func hurry(_ isHurried: Bool) { state.withLock { $0.isHurried = isHurried } }

  /// Returns the waiting stanzas, once there are any; `nil` at the end, and when the task is
  /// cancelled. For a single task at a time.
  func next() async -> [Stanza]? {
    var iterator = signals.makeAsyncIterator()
    while !Task.isCancelled {
      if let rest {
        do { try await sleep(rest) } catch { return nil }
        guard !Task.isCancelled else { return nil }
      }
      if let stanzas = take() { return stanzas }
      // At the end of the queue, the last stanzas are still there.
      guard await iterator.next() != nil else { return Task.isCancelled ? nil : take() }
    }
    return nil
  }

  /// The time to wait before the waiting stanzas are taken; `nil` when they are due.
  private var rest: Duration? {
    let now = now()
    return state.withLock { state in
      guard !state.stanzas.isEmpty, state.stanzas.count < Self.plenty, !state.isHurried,
        !state.isFinished, let lastTaken = state.lastTaken
      else { return nil }
      let rest = Self.pause - (now - lastTaken)
      return rest > .zero ? rest : nil
    }
  }

  private func take() -> [Stanza]? {
    let now = now()
    return state.withLock { state in
      guard !state.stanzas.isEmpty else { return nil }
      state.lastTaken = now
      var (count, bytes) = (0, 0)
      for stanza in state.stanzas.prefix(Self.most) {
        let weight = stanza.element.weight
        if count > 0, bytes + weight > Self.mostBytes { break }
        count += 1
        bytes += weight
      }
      defer {
        state.stanzas.removeFirst(count)
        state.weight -= bytes
      }
      return Array(state.stanzas.prefix(count))
    }
  }
}
