import ViewModels

/// Detects a slow link to the terminal: a frame that takes long to write, or stays long in the
/// terminal's queue, counts as late. A single late frame may be a short stall; several in a short
/// time mean a slow link, until there has been none for a while.
///
/// The queue is that of a serial line. The queue of a pseudo-terminal is always empty: nothing
/// shows until the buffers of the system are full and writes block. A terminal that answers queries
/// is therefore queried after the first large frames: the delay of its answer beyond the quickest
/// one is the time that the frame took. A link with a long delay that is not slow delays every
/// answer equally.
///
/// On a slow link, a query follows each frame but the smallest, and the next frame waits for the
/// answer: never more than one frame is in transit, and the reaction to a key waits for no more
/// than that.
final class SlowLinkDetector {
  /// The longest time that a frame may take.
  static let limit = Duration.milliseconds(200)
  /// The number of checks of the queue within `limit`.
  static let looks = 4
  /// The number of late frames within `time` that make the link a slow one.
  static let count = 3
  static let time = Duration.seconds(30)
  /// The time without a late frame after which the link counts as fast again; doubled each time
  /// that this was wrong.
  static let rest = Duration.seconds(60)

  /// The size in bytes from which a frame is followed by a query.
  static let largeFrame = 2000
  /// The number of frames that are followed by a query before the link counts as fast.
  static let questions = 5

  /// The size in bytes from which the next frame waits on a slow link.
  static let waitedFrame = 300
  /// The longest wait of a frame for an answer.
  static let patience = Duration.seconds(10)

  private(set) var isSlow: Bool
  /// Called when the link is found to be slow, or fast again.
  var onChange: () -> Void = {}
  /// Queries whether the terminal has processed everything; the answer calls `answered`. Returns
  /// whether a query was sent.
  var ask: () -> Bool = { false }
  /// Returns whether frames wait for each other.
  var waits: () -> Bool = { false }
  /// Called with whether the next frame has to wait.
  var onBusy: (Bool) -> Void = { _ in }

  private let scheduler: Scheduler
  private let now: () -> ContinuousClock.Instant
  private let isBehind: () -> Bool
  /// Indicates whether the link was declared slow: then it stays so.
  private let saysSo: Bool
  private var isLooking = false
  /// The times at which recent frames were late.
  private var long: [ContinuousClock.Instant] = []
  /// The number of times that the link was found to be slow.
  private var turns = 0
  /// The time of the query that has no answer yet.
  private var asked: ContinuousClock.Instant?
  /// The time of the quickest answer.
  private var least: Duration?
  /// Cancels the wait of the next frame; `nil`: it need not wait.
  private var cancelWait: (() -> Void)?
  private var questionsLeft = SlowLinkDetector.questions

  /// - Parameters:
  ///   - isSlow: whether the link is declared slow.
  ///   - isBehind: whether the terminal's queue holds unsent bytes.
  init(
    isSlow: Bool, scheduler: Scheduler,
    now: @escaping () -> ContinuousClock.Instant = { ContinuousClock.now },
    isBehind: @escaping () -> Bool
  ) {
    (self.isSlow, saysSo, self.scheduler, self.now, self.isBehind) = (
      isSlow, isSlow, scheduler, now, isBehind
    )
  }

  /// Sends the first query, before there is a frame, to find the quickest answer time.
  func begin() {
    guard asked == nil, ask() else { return }
    asked = now()
  }

  /// Called when the terminal has answered.
  func answered() {
    guard let asked else { return }
    let took = asked.duration(to: now())
    self.asked = nil
    let late = least.map { took - $0 } ?? .zero
    least = min(took, least ?? took)
    if late >= Self.limit { tookLong() }
    endWait()
  }

  /// Delays the next frame until the terminal has processed this one. A terminal that does not
  /// answer is not waited for: its query stays open, and it is not queried again.
  private func wait() {
    guard least != nil, asked == nil, waits(), ask() else { return }
    asked = now()
    cancelWait = scheduler.after(Self.patience) { [weak self] in self?.endWait() }
    onBusy(true)
  }

  private func endWait() {
    guard let cancelWait else { return }
    cancelWait()
    self.cancelWait = nil
    onBusy(false)
  }

  /// Called when a frame was written to the terminal.
  /// - Parameters:
  ///   - took: the time to write it, without the time to draw it.
  ///   - bytes: its size.
  func sent(took: Duration, bytes: Int = 0) {
    if bytes >= Self.waitedFrame { wait() }
    guard !saysSo else { return }
    if took >= Self.limit { return tookLong() }
    recover()
    if bytes >= Self.largeFrame, !isSlow, questionsLeft > 0, asked == nil, ask() {
      asked = now()
      questionsLeft -= 1
    }
    guard !isLooking, isBehind() else { return }
    isLooking = true
    look(1)
  }

  private func look(_ number: Int) {
    scheduler.after(Self.limit / Self.looks) { [weak self] in
      guard let self else { return }
      guard isBehind(), number < Self.looks else {
        isLooking = false
        if number >= Self.looks, isBehind() { tookLong() }
        return
      }
      look(number + 1)
    }
  }

  private func tookLong() {
    let now = now()
    long = long.filter { $0.duration(to: now) < Self.time } + [now]
    guard !isSlow, long.count >= Self.count else { return }
    turns += 1
    isSlow = true
    onChange()
  }

  private func recover() {
    guard isSlow, let last = long.last,
      last.duration(to: now()) >= Self.rest * (1 << min(turns - 1, 10))
    else { return }
    long = []
    questionsLeft = Self.questions
    isSlow = false
    onChange()
  }
}
