/// The work on a transfer of a `TransferQueue`.
struct ActiveTransfer {
  enum Stage {
    /// Nothing moves yet, or no more.
    case beside
    /// It has what it needs, and waits for a slot.
    case inLine(CheckedContinuation<Void, Never>)
    case moving
    /// Between two attempts.
    case resting
  }

  let gauge: TransferGauge
  let stops: AsyncStream<Void>
  let stop: AsyncStream<Void>.Continuation
  var stage: Stage
  /// Indicates whether it is being stored as done: the user's changes come too late.
  var isSettling = false

  init(gauge: TransferGauge, stage: Stage) {
    self.gauge = gauge
    self.stage = stage
    (stops, stop) = AsyncStream<Void>.makeStream()
  }

  var isMoving: Bool { if case .moving = stage { true } else { false } }
  var isResting: Bool { if case .resting = stage { true } else { false } }
}
