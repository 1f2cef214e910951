import ViewModels

/// Sees whether the line to the terminal takes what is sent to it: a frame that stays in the terminal's queue for long, or takes
/// long to be sent, says that it does not. From then on the line counts as slow.
final class LineWatch {
  /// How long a queue may stay as it is.
  static let limit = Duration.milliseconds(200)
  /// How often it is looked at meanwhile.
  static let looks = 4

  private(set) var isSlow: Bool
  /// The line has turned out to be slow.
  var onSlow: () -> Void = {}

  private let scheduler: Scheduler
  private let isBehind: () -> Bool
  private var isLooking = false

  /// - Parameters:
  ///   - isSlow: what the line says itself.
  ///   - isBehind: whether something stands in the terminal's queue.
  init(isSlow: Bool, scheduler: Scheduler, isBehind: @escaping () -> Bool) {
    (self.isSlow, self.scheduler, self.isBehind) = (isSlow, scheduler, isBehind)
  }

  /// A frame was given to the terminal.
  /// - Parameter took: how long that took.
  func sent(took: Duration) {
    guard !isSlow else { return }
    if took >= Self.limit { return turnedOut() }
    guard !isLooking, isBehind() else { return }
    isLooking = true
    look(1)
  }

  private func look(_ number: Int) {
    scheduler.after(Self.limit / Self.looks) { [weak self] in
      guard let self else { return }
      guard isBehind(), !isSlow else {
        isLooking = false
        return
      }
      guard number < Self.looks else { return turnedOut() }
      look(number + 1)
    }
  }

  private func turnedOut() {
    (isSlow, isLooking) = (true, false)
    onSlow()
  }
}
