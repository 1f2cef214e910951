import NatterCore

/// Judges the memory and the processor time of a script.
struct ScriptUsage: Sendable {
  /// What was seen, the oldest first: one is older than the period, or none.
  private var seen: [(time: Duration, processor: Duration)] = []

  /// Takes what the processes use now.
  /// - Parameters:
  ///   - memory: in bytes.
  ///   - processor: the time that they have used in all.
  ///   - now: of a clock that never goes back.
  /// - Returns: the processor time since the last look, in percent of one core, and the limit
  ///   that is broken.
  mutating func take(
    memory: Int, processor: Duration, at now: Duration
  ) -> (percent: Int, problem: ScriptBreach?) {
    let last = seen.last
    seen.append((now, processor))
    let start = now - ScriptLimits.processorPeriod
    if let first = seen.lastIndex(where: { $0.time <= start }) { seen.removeFirst(first) }
    let percent = last.map { Self.percent(processor - $0.processor, of: now - $0.time) } ?? 0
    if memory > ScriptLimits.memory { return (percent, .memory) }
    guard let first = seen.first, first.time <= start else { return (percent, nil) }
    let average = (processor - first.processor) / (now - first.time)
    let most = ScriptLimits.processor / ScriptLimits.processorPeriod
    return (percent, average > most ? .processor : nil)
  }

  private static func percent(_ part: Duration, of whole: Duration) -> Int {
    whole > .zero ? Int((part / whole * 100).rounded()) : 0
  }
}
