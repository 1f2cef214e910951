import NatterCore
import Synchronization

/// What is known of a transfer while its bytes move, kept up by whoever moves them.
final class TransferGauge: Sendable {
  private struct State {
    var transfer: FileTransfer
    var holding: (any TransferHolding)?
    /// Of the last few seconds, the oldest first.
    var samples: [(at: ContinuousClock.Instant, byteCount: Int)] = []
    var told: ContinuousClock.Instant?
    /// Whether bytes have moved since.
    var isUntold = false
    /// Whether they are told when the interval is over.
    var isTrailing = false
    var isClosed = false
  }

  private let state: Mutex<State>
  private let hub: EventHub
  private let sleep: @Sendable (Duration) async throws -> Void
  private static let interval = Duration.milliseconds(200)
  private static let span = Duration.seconds(3)

  init(
    _ transfer: FileTransfer, hub: EventHub,
    sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
  ) {
    state = Mutex(State(transfer: transfer))
    self.hub = hub
    self.sleep = sleep
  }

  var transfer: FileTransfer { state.withLock { $0.transfer } }

  /// Changes what is known, and tells.
  func update(_ change: (inout FileTransfer) -> Void) {
    let told = state.withLock { state in
      change(&state.transfer)
      state.samples = []
      state.isUntold = false
      return state.transfer
    }
    hub.publish(.transfersChanged([told]))
  }

  /// Nothing moves any more: what was not told yet of that is of no use, and what comes of it is told by others.
  func close() { state.withLock { $0.isClosed = true } }

  /// Takes a hand on what is moving now.
  func hold(_ holding: any TransferHolding) {
    let isPaused = state.withLock { state in
      state.holding = holding
      return state.transfer.state == .paused
    }
    if isPaused { holding.pause() }
  }

  func pause() { turn(to: .paused)?.pause() }
  func resume() { turn(to: .running)?.resume() }

  /// In one step with the question who holds it: who takes a hand on it meanwhile finds the new state.
  private func turn(to new: FileTransfer.State) -> (any TransferHolding)? {
    let (told, holding) = state.withLock { state in
      state.transfer.state = new
      state.samples = []
      return (state.transfer, state.holding)
    }
    hub.publish(.transfersChanged([told]))
    return holding
  }

  /// Tells how things stand.
  func tell() { hub.publish(.transfersChanged([transfer])) }

  /// Notes how many bytes have moved, and tells: at once, or when a screen may change again.
  func moved(to byteCount: Int, of total: Int? = nil, at now: ContinuousClock.Instant = .now) {
    let rest = state.withLock { state -> Duration? in
      guard !state.isClosed else { return nil }
      if let total { state.transfer.byteCount = total }
      Self.note(byteCount, at: now, in: &state)
      // A screen need not change more often.
      if let last = state.told, byteCount != state.transfer.byteCount {
        let rest = Self.interval - last.duration(to: now)
        if rest > .zero {
          state.isUntold = true
          guard !state.isTrailing else { return nil }
          state.isTrailing = true
          return rest
        }
      }
      tell(state.transfer, at: now, in: &state)
      return nil
    }
    if let rest { trail(in: rest, after: now) }
  }

  private func trail(in rest: Duration, after now: ContinuousClock.Instant) {
    Task { [weak self, sleep] in
      // Nobody ends this wait but its time.
      do { try await sleep(rest) } catch { return }
      self?.trail(at: now.advanced(by: rest))
    }
  }

  /// Tells what moved after the last report, where nothing came since that told it; and as long as nothing comes, that it becomes
  /// slower.
  private func trail(at due: ContinuousClock.Instant) {
    let goesOn = state.withLock { state -> ContinuousClock.Instant? in
      // It may have come later than it was due.
      let now = max(due, state.samples.last?.at ?? due)
      state.isTrailing = false
      guard !state.isClosed, state.transfer.state == .running, let last = state.told else {
        return nil
      }
      // One that was told meanwhile may have been told with the rate of before.
      if state.isUntold || last.duration(to: now) >= Self.slowing {
        Self.note(state.transfer.progress, at: now, in: &state)
        tell(state.transfer, at: now, in: &state)
      }
      state.isTrailing = state.transfer.rate > 0
      return state.isTrailing ? now : nil
    }
    if let goesOn { trail(in: Self.slowing, after: goesOn) }
  }

  /// How often it is told how slow one has become that stands still.
  private static let slowing = Duration.seconds(1)

  /// Within the lock: what is told first is heard first.
  private func tell(
    _ transfer: FileTransfer, at now: ContinuousClock.Instant, in state: inout State
  ) {
    (state.told, state.isUntold) = (now, false)
    hub.publish(.transfersChanged([transfer]))
  }

  private static func note(
    _ byteCount: Int, at now: ContinuousClock.Instant, in state: inout State
  ) {
    state.transfer.progress = byteCount
    // What went before something else went wrong does not count.
    if let last = state.samples.last, last.byteCount > byteCount { state.samples = [] }
    state.samples.append((now, byteCount))
    while let first = state.samples.first, state.samples.count > 2,
      first.at.duration(to: now) > span
    { state.samples.removeFirst() }
    guard let first = state.samples.first else { return }
    let parts = first.at.duration(to: now).components
    let seconds = Double(parts.seconds) + Double(parts.attoseconds) / 1e18
    state.transfer.rate = seconds > 0.05 ? Int(Double(byteCount - first.byteCount) / seconds) : 0
  }
}
