/// The queries that the terminal may still answer. Terminals ignore unknown queries, but answer in
/// the order of the queries, and every terminal that answers at all answers the query for readiness
/// (DSR 5).
nonisolated struct OpenQuestions {
  private var last: ContinuousClock.Instant?
  /// The times of the queries for readiness without an answer.
  private var readiness: [ContinuousClock.Instant] = []
  /// Indicates whether another query was sent after the last one for readiness.
  private(set) var isBehindReadiness = false
  /// The longest time of an answer about readiness; `nil` without any.
  private var longest: Duration?

  /// Records a query.
  mutating func ask(readiness isReadiness: Bool, at now: ContinuousClock.Instant) {
    last = now
    if isReadiness { readiness.append(now) }
    isBehindReadiness = !isReadiness
  }

  /// Records the answer that the terminal is ready.
  mutating func answered(at now: ContinuousClock.Instant) {
    guard let asked = readiness.first else { return }
    readiness.removeFirst()
    longest = max(longest ?? .zero, asked.duration(to: now))
  }

  /// Abandons the previous queries.
  mutating func giveUp() {
    (last, readiness, isBehindReadiness) = (nil, [], false)
  }

  /// Returns whether answers are expected.
  func areOpen(at now: ContinuousClock.Instant) -> Bool {
    // A terminal that has answered before will answer, even over a slow line.
    guard let last, last.duration(to: now) < (longest == nil ? .seconds(2) : .seconds(20)) else {
      return false
    }
    return isBehindReadiness || !readiness.isEmpty
  }

  /// The time to wait for answers before the screen is released: over a slow line, an answer takes
  /// as long as earlier ones.
  var patience: Duration {
    min(.milliseconds(1500), max(.milliseconds(300), (longest ?? .zero) * 2))
  }
}
