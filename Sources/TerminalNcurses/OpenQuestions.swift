/// What the terminal was asked and may still answer. Some terminals leave some questions out; but the answers come in the order
/// of the questions, and whether it is ready (DSR 5) each tells that tells anything.
nonisolated struct OpenQuestions {
  private var last: ContinuousClock.Instant?
  /// When it was asked whether it is ready, without an answer.
  private var readiness: [ContinuousClock.Instant] = []
  /// Whether something else was asked since.
  private(set) var isBehindReadiness = false
  /// How long it took to tell that it is ready, at most; `nil`: it never has.
  private var longest: Duration?

  /// Something was asked.
  mutating func ask(readiness isReadiness: Bool, at now: ContinuousClock.Instant) {
    last = now
    if isReadiness { readiness.append(now) }
    isBehindReadiness = !isReadiness
  }

  /// The terminal has told that it is ready.
  mutating func answered(at now: ContinuousClock.Instant) {
    guard let asked = readiness.first else { return }
    readiness.removeFirst()
    longest = max(longest ?? .zero, asked.duration(to: now))
  }

  /// What was asked until now is not waited for.
  mutating func giveUp() {
    (last, readiness, isBehindReadiness) = (nil, [], false)
  }

  /// Whether answers are to be expected.
  func areOpen(at now: ContinuousClock.Instant) -> Bool {
    // One that has told before tells in the end, however slow its line is.
    guard let last, last.duration(to: now) < (longest == nil ? .seconds(2) : .seconds(20)) else {
      return false
    }
    return isBehindReadiness || !readiness.isEmpty
  }

  /// How long answers are worth waiting for by whoever wants to leave: over a long line an answer takes as long as those before.
  var patience: Duration {
    min(.milliseconds(1500), max(.milliseconds(300), (longest ?? .zero) * 2))
  }
}
