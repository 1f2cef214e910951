import FoundationEssentials

extension Date {
  /// Returns whether this moment lies less than `span` seconds before `now`. A moment as far after
  /// it does not: the clock was set back since, and a wait or a memory must not last until the
  /// clock reaches the moment again.
  package func isRecent(_ span: TimeInterval, at now: Date) -> Bool {
    abs(now.timeIntervalSince(self)) < span
  }
}
