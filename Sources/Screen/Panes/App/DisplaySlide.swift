import Terminal

/// The animation of one screen that moves over another, from a side; the first row, with the tabs,
/// stays.
struct DisplaySlide {
  /// Five steps in less than `limit`.
  static let steps = 5
  static let stepTime = Duration.milliseconds(25)
  /// The longest time from its first frame to its last.
  static let limit = Duration.milliseconds(150)

  private let before: Surface
  private let isFromRight: Bool
  private var step = 0
  /// The times at which its first frame and its last one so far were drawn.
  private var times: (first: ContinuousClock.Instant, last: ContinuousClock.Instant)?

  init(before: Surface, isFromRight: Bool) {
    self.before = before
    self.isFromRight = isFromRight
  }

  var isOver: Bool { step >= Self.steps }

  /// The next frame on the way to `after`; the last one is `after` itself.
  ///
  /// Steps are skipped if frames are late; if the next one would come after the limit, this is the
  /// last.
  mutating func next(to after: Surface, at now: ContinuousClock.Instant) -> Surface {
    step += 1
    if let times {
      let elapsed = now - times.first
      step = max(step, 1 + Int(elapsed / Self.stepTime))
      if elapsed + (now - times.last) > Self.limit { step = Self.steps }
    }
    times = (times?.first ?? now, now)
    guard !isOver, after.size == before.size else {
      step = Self.steps
      return after
    }
    let columns = after.size.columns
    // Fast at first, then slower: the rest shrinks by half each time.
    let left = columns >> step
    var frame = Surface(size: after.size)
    frame.copy(before, row: 0, column: 0)
    frame.copy(after, row: 0, column: isFromRight ? left : -left)
    var head = Surface(size: Size(rows: 1, columns: columns))
    head.copy(after, row: 0, column: 0)
    frame.copy(head, row: 0, column: 0)
    return frame
  }
}
