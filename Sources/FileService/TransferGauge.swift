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
  }

  private let state: Mutex<State>
  private let hub: EventHub
  private static let interval = Duration.milliseconds(200)
  private static let span = Duration.seconds(3)

  init(_ transfer: FileTransfer, hub: EventHub) {
    state = Mutex(State(transfer: transfer))
    self.hub = hub
  }

  var transfer: FileTransfer { state.withLock { $0.transfer } }

  /// Changes what is known, and tells.
  func update(_ change: (inout FileTransfer) -> Void) {
    let told = state.withLock { state in
      change(&state.transfer)
      state.samples = []
      return state.transfer
    }
    hub.publish(.transfersChanged([told]))
  }

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

  /// Notes how many bytes have moved, and tells.
  func moved(to byteCount: Int, of total: Int? = nil, at now: ContinuousClock.Instant = .now) {
    let told = state.withLock { state in
      state.transfer.progress = byteCount
      if let total { state.transfer.byteCount = total }
      // What went before something else went wrong does not count.
      if let last = state.samples.last, last.byteCount > byteCount { state.samples = [] }
      state.samples.append((now, byteCount))
      while let first = state.samples.first, state.samples.count > 2,
        first.at.duration(to: now) > Self.span
      { state.samples.removeFirst() }
      if let first = state.samples.first {
        let parts = first.at.duration(to: now).components
        let seconds = Double(parts.seconds) + Double(parts.attoseconds) / 1e18
        state.transfer.rate =
          seconds > 0.05 ? Int(Double(byteCount - first.byteCount) / seconds) : 0
      }
      // A screen need not change more often.
      let isEnd = byteCount == state.transfer.byteCount
      if let last = state.told, last.duration(to: now) < Self.interval, !isEnd {
        return nil as FileTransfer?
      }
      state.told = now
      return state.transfer
    }
    if let told { hub.publish(.transfersChanged([told])) }
  }
}
