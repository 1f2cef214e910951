import ViewModels

/// Sees whether the line to the terminal takes what is sent to it: a frame that takes long to be written, or stays in the
/// terminal's queue for long, says that it does not. One may be a moment's halt; several in a short time are a slow line,
/// until there has been none for a while.
///
/// The queue is that of a real line: one of a pseudo-terminal is always empty, and there nothing is to be seen before what the
/// system keeps for it is full, and writing waits. So a terminal that answers is asked behind the first large frames: how much
/// later than at best its answer comes is what the frame took. A line that is long and not slow takes as long for each answer.
///
/// On a slow line it is asked behind each frame but the smallest, and the next one waits for the answer: what is on its way is
/// never more than a frame, and a key is answered behind that.
final class SlowLinkDetector {
  /// How long a frame may take.
  static let limit = Duration.milliseconds(200)
  /// How often the queue is looked at meanwhile.
  static let looks = 4
  /// How many frames that take longer make the line a slow one, and in what time.
  static let count = 3
  static let time = Duration.seconds(30)
  /// How long none takes so long on a line that is not slow any more; twice as long each time that it was a mistake.
  static let rest = Duration.seconds(60)

  /// Bytes of a frame that is worth a question.
  static let largeFrame = 2000
  /// How many frames are asked about before the line is taken for a quick one.
  static let questions = 5

  /// Bytes of a frame that the next one waits for on a slow line.
  static let waitedFrame = 300
  /// How long it waits for an answer.
  static let patience = Duration.seconds(10)

  private(set) var isSlow: Bool
  /// The line has turned out to be slow, or not to be slow any more.
  var onChange: () -> Void = {}
  /// Has the terminal asked whether it has taken everything; the answer is for `answered`.
  var ask: () -> Bool = { false }
  /// Whether frames wait for each other.
  var waits: () -> Bool = { false }
  /// The next frame has to wait, or need not any more.
  var onBusy: (Bool) -> Void = { _ in }

  private let scheduler: Scheduler
  private let now: () -> ContinuousClock.Instant
  private let isBehind: () -> Bool
  /// Whether it says so itself: then it stays so.
  private let saysSo: Bool
  private var isLooking = false
  /// When frames took long, of late.
  private var long: [ContinuousClock.Instant] = []
  /// How often it turned out to be slow.
  private var turns = 0
  /// When the terminal was asked, while it has not answered.
  private var asked: ContinuousClock.Instant?
  /// How long the quickest answer took.
  private var least: Duration?
  /// Ends that the next frame has to wait; `nil`: it need not.
  private var cancelWait: (() -> Void)?
  private var questionsLeft = SlowLinkDetector.questions

  /// - Parameters:
  ///   - isSlow: what the line says itself.
  ///   - isBehind: whether something stands in the terminal's queue.
  init(
    isSlow: Bool, scheduler: Scheduler,
    now: @escaping () -> ContinuousClock.Instant = { ContinuousClock.now },
    isBehind: @escaping () -> Bool
  ) {
    (self.isSlow, saysSo, self.scheduler, self.now, self.isBehind) = (
      isSlow, isSlow, scheduler, now, isBehind
    )
  }

  /// Asks the terminal for the first time, before there is a frame: how long an answer takes at best.
  func begin() {
    guard asked == nil, ask() else { return }
    asked = now()
  }

  /// The terminal has answered.
  func answered() {
    guard let asked else { return }
    let took = asked.duration(to: now())
    self.asked = nil
    let late = least.map { took - $0 } ?? .zero
    least = min(took, least ?? took)
    if late >= Self.limit { tookLong() }
    endWait()
  }

  /// Has the next frame wait until the terminal has taken this one. One that does not answer is not waited for: what it was
  /// asked stays open, and it is asked nothing more.
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

  /// A frame was given to the terminal.
  /// - Parameters:
  ///   - took: how long it took to be written, without what it took to be drawn.
  ///   - bytes: how many it had.
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
