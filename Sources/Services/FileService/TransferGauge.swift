import NatterCore
import Synchronization

/// The state of a running transfer, updated by the code that moves the bytes.
final class TransferGauge: Sendable {
  private struct State {
    var transfer: FileTransfer
    var holding: (any TransferHolding)?
    /// The samples of the last few seconds, the oldest first.
    var samples: [(at: ContinuousClock.Instant, byteCount: Int)] = []
    var reportedAt: ContinuousClock.Instant?
    /// Indicates whether bytes have moved since the last report.
    var isUnreported = false
    /// Indicates whether a report is scheduled for the end of the interval.
    var isTrailing = false
    var isClosed = false
    /// Indicates whether the user holds the transfer. Its state follows once that is stored.
    var isHeld: Bool
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
    state = Mutex(State(transfer: transfer, isHeld: transfer.state == .paused))
    self.hub = hub
    self.sleep = sleep
  }

  var transfer: FileTransfer { state.withLock { $0.transfer } }

  /// Changes the transfer, and publishes it, unless that it is held is still to be stored.
  func update(_ change: (inout FileTransfer) -> Void) {
    let reportedAt = state.withLock { state -> FileTransfer? in
      change(&state.transfer)
      state.samples = []
      state.isUnreported = false
      return state.isHeld && state.transfer.state == .running ? nil : state.transfer
    }
    if let reportedAt { hub.publish(.transfersChanged([reportedAt])) }
  }

  /// Records the state that was stored, which the caller publishes.
  func note(_ stored: FileTransfer.TransferStatus) {
    state.withLock { $0.transfer.state = stored }
  }

  /// Ends the reports: unpublished progress is obsolete, and the result is published elsewhere.
  func close() { state.withLock { $0.isClosed = true } }

  /// Stores the control of the connection that moves the bytes now.
  func hold(_ holding: any TransferHolding) {
    let isPaused = state.withLock { state in
      state.holding = holding
      return state.isHeld
    }
    if isPaused { holding.pause() }
  }

  /// Holds the bytes, and reports none that moved: the transfer is published as paused once that is
  /// stored.
  func pause() { change(isHeld: true)?.pause() }
  func resume() { change(isHeld: false)?.resume() }

  /// Changes the state and reads the control in one step: a control that arrives meanwhile finds
  /// the new state.
  private func change(isHeld: Bool) -> (any TransferHolding)? {
    state.withLock { state in
      state.isHeld = isHeld
      state.samples = []
      return state.holding
    }
  }

  /// Publishes the current state.
  func report() { hub.publish(.transfersChanged([transfer])) }

  /// Records the number of moved bytes, and publishes it: at once, or when the interval is over.
  func moved(to byteCount: Int, of total: Int? = nil, at now: ContinuousClock.Instant = .now) {
    let rest = state.withLock { state -> Duration? in
      guard !state.isClosed else { return nil }
      if let total { state.transfer.byteCount = total }
      Self.note(byteCount, at: now, in: &state)
      guard !state.isHeld else {
        state.isUnreported = true
        return nil
      }
      // The screen does not need more frequent updates.
      if let last = state.reportedAt, byteCount != state.transfer.byteCount {
        let rest = Self.interval - last.duration(to: now)
        if rest > .zero {
          state.isUnreported = true
          guard !state.isTrailing else { return nil }
          state.isTrailing = true
          return rest
        }
      }
      report(state.transfer, at: now, in: &state)
      return nil
    }
    if let rest { trail(in: rest, after: now) }
  }

  private func trail(in rest: Duration, after now: ContinuousClock.Instant) {
    Task { [weak self, sleep] in
      // Only the time ends this wait.
      do { try await sleep(rest) } catch { return }
      self?.trail(at: now.advanced(by: rest))
    }
  }

  /// Publishes the bytes that moved after the last report, unless a later report included them;
  /// while none move, publishes the falling rate.
  private func trail(at due: ContinuousClock.Instant) {
    let goesOn = state.withLock { state -> ContinuousClock.Instant? in
      // Bytes may have moved after the due time.
      let now = max(due, state.samples.last?.at ?? due)
      state.isTrailing = false
      guard !state.isClosed, !state.isHeld, let last = state.reportedAt else { return nil }
      // A report in the meantime may have carried the previous rate.
      if state.isUnreported || last.duration(to: now) >= Self.slowing {
        Self.note(state.transfer.progress, at: now, in: &state)
        report(state.transfer, at: now, in: &state)
      }
      state.isTrailing = state.transfer.rate > 0
      return state.isTrailing ? now : nil
    }
    if let goesOn { trail(in: Self.slowing, after: goesOn) }
  }

  /// The interval of reports on the falling rate of a stalled transfer.
  private static let slowing = Duration.seconds(1)

  /// Called within the lock, so that reports are published in order.
  private func report(
    _ transfer: FileTransfer, at now: ContinuousClock.Instant, in state: inout State
  ) {
    (state.reportedAt, state.isUnreported) = (now, false)
    hub.publish(.transfersChanged([transfer]))
  }

  private static func note(
    _ byteCount: Int, at now: ContinuousClock.Instant, in state: inout State
  ) {
    state.transfer.progress = byteCount
    // Samples from before a restart of the transfer do not count.
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
