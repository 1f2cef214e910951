/// What the terminal was asked and may still answer. Some terminals leave some questions out; but the answers come in the order
/// of the questions, and whether it is ready (DSR 5) each tells that tells anything.
nonisolated struct OpenQuestions {
  /// How long after the last question no answer is waited for any more.
  static let life = Duration.seconds(2)

  private var last: ContinuousClock.Instant?
  /// How many times it was asked whether it is ready, without an answer.
  private var readiness = 0
  /// Whether something else was asked since.
  private(set) var isBehindReadiness = false

  /// Something was asked.
  mutating func ask(readiness isReadiness: Bool, at now: ContinuousClock.Instant) {
    last = now
    if isReadiness { readiness += 1 }
    isBehindReadiness = !isReadiness
  }

  /// The terminal has told that it is ready.
  mutating func answered() {
    readiness = max(0, readiness - 1)
  }

  /// Whether answers are to be expected.
  func areOpen(at now: ContinuousClock.Instant) -> Bool {
    guard let last, last.duration(to: now) < Self.life else { return false }
    return isBehindReadiness || readiness > 0
  }
}
