import ChatsFixtures
import TestSupport
import Testing
import ViewModels

@testable import natter

@Suite struct SlowLinkDetectorTests {
  private let timers = ManualTimers()
  private final class Line {
    var isFull = false
    var now = ContinuousClock.now
    var changes: [Bool] = []
    var questions = 0
    var busy: [Bool] = []
    var waits = false
  }
  private let line = Line()

  private func watch(isSlow: Bool = false) -> SlowLinkDetector {
    let watch = SlowLinkDetector(
      isSlow: isSlow, scheduler: timers.scheduler, now: { [line] in line.now }
    ) {
      [line] in line.isFull
    }
    watch.ask = { [line] in
      line.questions += 1
      return true
    }
    watch.waits = { [line] in line.waits }
    watch.onBusy = { [line] in line.busy.append($0) }
    watch.onChange = { [line, weak watch] in line.changes.append(watch?.isSlow == true) }
    return watch
  }

  @Test func `one frame that takes long is a halt, several in a short time are a slow line`() {
    let watch = watch()
    watch.sent(took: .seconds(2))
    watch.sent(took: .milliseconds(199))
    watch.sent(took: .milliseconds(200))
    #expect(!watch.isSlow)
    // A quick one in between, as of a letter, says nothing.
    watch.sent(took: .milliseconds(1))
    watch.sent(took: .milliseconds(200))
    #expect(watch.isSlow && line.changes == [true])
    watch.sent(took: .seconds(1))
    #expect(line.changes == [true])
  }

  @Test func `halts now and then are none`() {
    let watch = watch()
    for _ in 1...10 {
      watch.sent(took: .seconds(1))
      line.now += SlowLinkDetector.time / 2
    }
    #expect(!watch.isSlow && line.changes.isEmpty)
  }

  @Test func `it is over when no frame has taken long for a while, each time later`() {
    let watch = watch()
    func turnsOut() { for _ in 1...SlowLinkDetector.count { watch.sent(took: .seconds(1)) } }
    turnsOut()
    line.now += SlowLinkDetector.rest - .seconds(1)
    watch.sent(took: .zero)
    #expect(watch.isSlow)
    line.now += .seconds(1)
    watch.sent(took: .zero)
    #expect(!watch.isSlow && line.changes == [true, false])
    turnsOut()
    line.now += SlowLinkDetector.rest
    watch.sent(took: .zero)
    #expect(watch.isSlow)
    line.now += SlowLinkDetector.rest
    watch.sent(took: .zero)
    #expect(line.changes == [true, false, true, false])
  }

  @Test func `a queue that stays as it is counts like a frame that takes long`() {
    let watch = watch()
    line.isFull = true
    for time in 1...SlowLinkDetector.count {
      #expect(!watch.isSlow, "\(time)")
      watch.sent(took: .milliseconds(1))
      for _ in 1...SlowLinkDetector.looks { timers.fire() }
    }
    #expect(watch.isSlow && line.changes == [true])
  }

  @Test func `a queue that is empty in between does not`() {
    let watch = watch()
    for _ in 1...SlowLinkDetector.count {
      line.isFull = true
      watch.sent(took: .milliseconds(1))
      timers.fire()
      line.isFull = false
      timers.fire()
    }
    #expect(!watch.isSlow && timers.count == 0)
  }

  /// A frame goes out, and the answer behind it comes after some time.
  private func answer(_ watch: SlowLinkDetector, bytes: Int = 8000, after time: Duration) {
    watch.sent(took: .milliseconds(1), bytes: bytes)
    line.now += time
    watch.answered()
  }

  @Test func `answers behind large frames that come late are a slow line`() {
    let watch = watch()
    watch.begin()
    line.now += .milliseconds(300)
    watch.answered()
    #expect(line.questions == 1)
    for time in 1...SlowLinkDetector.count {
      #expect(!watch.isSlow, "\(time)")
      answer(watch, after: .milliseconds(500))
    }
    #expect(watch.isSlow && line.changes == [true])
    // To see whether it is slow, nothing more is asked while it is, and again when it is not any
    // more.
    let asked = line.questions
    answer(watch, after: SlowLinkDetector.rest)
    #expect(line.questions == asked && watch.isSlow)
    watch.sent(took: .zero)
    #expect(!watch.isSlow)
    answer(watch, after: .zero)
    #expect(line.questions == asked + 1)
  }

  @Test func `a long line is no slow one`() {
    let watch = watch()
    watch.begin()
    line.now += .milliseconds(600)
    watch.answered()
    for _ in 1...10 { answer(watch, after: .milliseconds(750)) }
    #expect(!watch.isSlow && line.changes.isEmpty)
    // After a few frames it is settled.
    #expect(line.questions == 1 + SlowLinkDetector.questions)
  }

  @Test func `small frames are not asked about, nor is a terminal that does not answer`() {
    let watch = watch()
    answer(watch, bytes: 0, after: .seconds(1))
    answer(watch, bytes: 300, after: .seconds(1))
    #expect(line.questions == 0)
    for _ in 1...10 { watch.sent(took: .zero, bytes: 8000) }
    #expect(line.questions == 1 && !watch.isSlow)
  }

  @Test(arguments: [true, false])
  func `on a slow line the next frame waits until the one before has arrived, but for small ones`(
    waits: Bool
  ) {
    let watch = watch(isSlow: true)
    line.waits = waits
    // Whether the terminal answers at all is not known yet.
    watch.sent(took: .zero, bytes: 8000)
    #expect(line.busy.isEmpty)
    watch.begin()
    watch.answered()
    watch.sent(took: .zero, bytes: SlowLinkDetector.waitedFrame - 1)
    #expect(line.busy.isEmpty)
    watch.sent(took: .zero, bytes: SlowLinkDetector.waitedFrame)
    #expect(line.busy == (waits ? [true] : []) && line.questions == (waits ? 2 : 1))
    watch.answered()
    #expect(line.busy == (waits ? [true, false] : []) && timers.count == 0)
  }

  @Test func `it waits for an answer for some seconds, and not again before there is one`() {
    let watch = watch(isSlow: true)
    line.waits = true
    watch.begin()
    watch.answered()
    watch.sent(took: .zero, bytes: 1000)
    #expect(timers.delays == [SlowLinkDetector.patience])
    timers.fire()
    watch.sent(took: .zero, bytes: 1000)
    #expect(line.busy == [true, false])
    watch.answered()
    watch.sent(took: .zero, bytes: 1000)
    #expect(line.busy == [true, false, true])
  }

  @Test func `a line that says that it is slow stays so`() {
    let watch = watch(isSlow: true)
    watch.sent(took: .zero, bytes: 8000)
    #expect(line.questions == 0)
    line.now += .seconds(3600)
    watch.sent(took: .zero)
    #expect(watch.isSlow && line.changes.isEmpty)
  }
}
