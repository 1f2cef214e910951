import Terminal

/// One screen that moves over another, from a side; the first row, with the tabs, stays.
struct DisplaySlide {
  /// Five steps in less than 150 ms.
  static let steps = 5
  static let stepTime = Duration.milliseconds(25)

  private let before: Surface
  private let isFromRight: Bool
  private var step = 0

  init(before: Surface, isFromRight: Bool) {
    self.before = before
    self.isFromRight = isFromRight
  }

  var isOver: Bool { step >= Self.steps }

  /// The next frame on the way to `after`; the last one is `after` itself.
  mutating func next(to after: Surface) -> Surface {
    step += 1
    guard !isOver, after.size == before.size else {
      step = Self.steps
      return after
    }
    let columns = after.size.columns
    // Fast at first, then slower: what is left shrinks by half.
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
