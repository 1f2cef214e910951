import ChatsFixtures
import Terminal
import Testing
import ViewModels

@testable import Panes

@Suite struct DisplayTests {
  /// A pane that is filled with one letter.
  final class Letter: Pane {
    let invalidation = Invalidation()
    var letter: Character { didSet { invalidation.raise() } }
    var draws = 0
    var cursor: Point?
    init(_ letter: Character) { self.letter = letter }
    func draw(into surface: inout Surface) {
      draws += 1
      surface.fill(
        Rect(row: 0, column: 0, rows: surface.size.rows, columns: surface.size.columns), letter)
      surface.cursor = cursor
    }
  }

  let screen = MemoryScreen(size: Size(rows: 3, columns: 6))
  let timers = ManualTimers()

  @Test func `any number of changes between two frames is one repaint`() {
    let display = Display(screen: screen, scheduler: timers.scheduler)
    let a = Letter("a")
    display.show([Placement(a, Rect(row: 0, column: 0, rows: 3, columns: 6))], focused: a)
    #expect(display.drawFrame() == 1)
    timers.fire()
    let flushes = screen.flushCount
    for letter in "bcdefgh" { a.letter = letter }
    #expect(timers.count == 1)
    timers.fire()
    #expect(a.draws == 2)
    #expect(screen.flushCount == flushes + 1)
    #expect(screen.shown.text(row: 0) == "hhhhhh")
  }

  @Test func `a start's first frame waits until all is there, and not for ever`() {
    for isReleased in [true, false] {
      let timers = ManualTimers()
      let screen = MemoryScreen(size: Size(rows: 3, columns: 6))
      let display = Display(screen: screen, scheduler: timers.scheduler)
      let a = Letter("a")
      display.hold(for: .milliseconds(100))
      display.show([Placement(a, Rect(row: 0, column: 0, rows: 3, columns: 6))], focused: a)
      #expect(display.drawFrame() == 0)
      a.letter = "b"
      #expect(a.draws == 0 && screen.flushCount == 0)
      if isReleased { display.release() } else { timers.fire() }
      #expect(a.draws == 1 && screen.shown.text(row: 0) == "bbbbbb")
      a.letter = "c"
      timers.fire()
      #expect(screen.shown.text(row: 0) == "cccccc")
    }
  }

  @Test func `while one frame follows another they are fewer, but not after a key`() {
    var now = ContinuousClock.now
    let display = Display(screen: screen, scheduler: timers.scheduler, now: { now })
    let a = Letter("a")
    display.show([Placement(a, Rect(row: 0, column: 0, rows: 3, columns: 6))], focused: a)
    #expect(timers.delays == [Display.frameTime])
    timers.fire()
    now += .milliseconds(3)
    a.letter = "b"
    #expect(timers.delays == [Display.floodTime])
    timers.fire()
    now += .milliseconds(40)
    a.letter = "c"
    #expect(timers.delays == [Display.frameTime])
    // A key's frame, and what comes from the database for it.
    display.drawFrame()
    now += .milliseconds(1)
    a.letter = "d"
    #expect(timers.delays == [Display.frameTime])
  }

  @Test func `what is done at once is one frame, and drawn in between for what comes next`() {
    let display = Display(screen: screen, scheduler: timers.scheduler)
    let a = Letter("a")
    display.show([Placement(a, Rect(row: 0, column: 0, rows: 3, columns: 6))], focused: a)
    display.drawFrame()
    let flushes = screen.flushCount
    display.gather {
      for letter in "bcd" {
        a.letter = letter
        #expect(display.drawFrame() == 1)
      }
      #expect(screen.flushCount == flushes)
    }
    #expect(screen.flushCount == flushes + 1 && screen.shown.text(row: 0) == "dddddd")
    display.gather { display.drawFrame() }
    #expect(screen.flushCount == flushes + 1 && timers.count == 0)
  }

  @Test(arguments: [true, false])
  func `keys faster than thirty a second are fewer frames, the last one shown, but for small ones`(
    isSmall: Bool
  ) {
    let bytes = Display.smallFrame - (isSmall ? 1 : 0)
    var now = ContinuousClock.now
    let display = Display(screen: screen, scheduler: timers.scheduler, now: { now })
    screen.onFlush = { display.sent(bytes: bytes) }
    let a = Letter("a")
    display.show([Placement(a, Rect(row: 0, column: 0, rows: 3, columns: 6))], focused: a)
    func press(_ letter: Character, after time: Duration) {
      now += time
      a.letter = letter
      display.drawFrame()
    }
    press("b", after: .zero)
    #expect(screen.shown.text(row: 0) == "bbbbbb")
    let flushes = screen.flushCount
    for letter in "cdef" { press(letter, after: .milliseconds(5)) }
    guard !isSmall else {
      #expect(screen.flushCount == flushes + 4 && timers.count == 0)
      return
    }
    #expect(screen.flushCount == flushes && timers.delays == [Display.keyTime - .milliseconds(5)])
    now += .milliseconds(13)
    timers.fire()
    #expect(screen.flushCount == flushes + 1 && screen.shown.text(row: 0) == "ffffff")
    // One that comes later is shown at once, also behind a frame that no key asked for.
    press("g", after: Display.keyTime)
    #expect(screen.flushCount == flushes + 2 && timers.count == 0)
    now += Display.keyTime
    a.letter = "h"
    timers.fire()
    press("i", after: .milliseconds(1))
    #expect(screen.flushCount == flushes + 4 && screen.shown.text(row: 0) == "iiiiii")
    // Nor does one that is slower wait because of one that did.
    press("j", after: .milliseconds(5))
    #expect(screen.flushCount == flushes + 4)
    now += Display.keyTime - .milliseconds(5)
    timers.fire()
    press("k", after: .milliseconds(12))
    #expect(screen.flushCount == flushes + 6 && screen.shown.text(row: 0) == "kkkkkk")
  }

  @Test func `while the line takes a frame, what comes is drawn, and shown when it has`() {
    let display = Display(screen: screen, scheduler: timers.scheduler)
    let a = Letter("a")
    display.show([Placement(a, Rect(row: 0, column: 0, rows: 3, columns: 6))], focused: a)
    display.drawFrame()
    let flushes = screen.flushCount
    display.isLineBusy = true
    for letter in "bcd" {
      a.letter = letter
      display.drawFrame()
    }
    a.letter = "e"
    timers.fire()
    #expect(a.draws == 5 && screen.flushCount == flushes)
    display.isLineBusy = false
    #expect(screen.flushCount == flushes + 1 && screen.shown.text(row: 0) == "eeeeee")
    display.isLineBusy = false
    #expect(screen.flushCount == flushes + 1)
  }

  @Test(arguments: [1, 10, 25, 26, 40, 60, 74, 76, 100, 149])
  func `a slide is over 150 ms after its first frame at most, however late the frames are`(
    delay: Int
  ) {
    var now = ContinuousClock.now
    let screen = MemoryScreen(size: Size(rows: 3, columns: 80))
    let display = Display(screen: screen, scheduler: timers.scheduler, now: { now })
    let whole = Rect(row: 0, column: 0, rows: 3, columns: 80)
    let (a, b) = (Letter("a"), Letter("b"))
    display.show([Placement(a, whole)], focused: a)
    display.drawFrame()
    display.slide(fromRight: true)
    display.show([Placement(b, whole)], focused: b)
    display.drawFrame()
    let begun = now
    var shown = [screen.shown.text(row: 1)]
    while timers.count > 0 {
      // Never sooner than it was asked for.
      now += max(timers.delays[0], .milliseconds(delay))
      timers.fire()
      shown.append(screen.shown.text(row: 1))
    }
    #expect(now - begun <= .milliseconds(150))
    #expect(shown.last == String(repeating: "b", count: 80))
    // Each frame shows more of what comes than the one before.
    let parts = shown.map { $0.filter { $0 == "b" }.count }
    #expect(parts == parts.sorted() && parts[0] > 0 && parts[0] < 80, "\(parts)")
    #expect(shown.count >= 2 && shown.count <= DisplaySlide.steps)
  }

  @Test func `what is drawn at once waits on no timer`() {
    var asked = 0
    let scheduler = Scheduler { _, _ in
      asked += 1
      return {}
    }
    let display = Display(screen: screen, scheduler: scheduler)
    let a = Letter("a")
    display.drawFrame {
      display.show([Placement(a, Rect(row: 0, column: 0, rows: 3, columns: 6))], focused: a)
    }
    #expect(asked == 0 && screen.shown.text(row: 2) == "aaaaaa")
    a.letter = "b"
    #expect(asked == 1)
  }

  @Test func `what was there before is gone when other panes are shown`() {
    let display = Display(screen: screen, scheduler: timers.scheduler)
    let (a, b) = (Letter("a"), Letter("b"))
    display.show([Placement(a, Rect(row: 0, column: 0, rows: 3, columns: 6))], focused: a)
    display.drawFrame()
    display.show([Placement(b, Rect(row: 1, column: 0, rows: 1, columns: 2))], focused: b)
    display.drawFrame()
    #expect(screen.shown.description == "\nbb\n")
  }

  @Test func `nothing is flushed when nothing changed`() {
    let display = Display(screen: screen, scheduler: timers.scheduler)
    let a = Letter("a")
    display.show([Placement(a, Rect(row: 0, column: 0, rows: 3, columns: 6))], focused: a)
    display.drawFrame()
    let flushes = screen.flushCount
    #expect(display.drawFrame() == 0)
    timers.fire()
    #expect(screen.flushCount == flushes)
    #expect(timers.count == 0)
  }

  @Test func `what lies above is still above when something below changes`() {
    let display = Display(screen: screen, scheduler: timers.scheduler)
    let (a, b) = (Letter("a"), Letter("b"))
    display.show(
      [
        Placement(a, Rect(row: 0, column: 0, rows: 3, columns: 6)),
        Placement(b, Rect(row: 1, column: 2, rows: 1, columns: 2)),
      ], focused: b)
    display.drawFrame()
    a.letter = "c"
    #expect(display.drawFrame() == 1)
    #expect(screen.shown.description == "cccccc\nccbbcc\ncccccc")
    // Taking it away shows what was below, without drawing it again.
    display.show([Placement(a, Rect(row: 0, column: 0, rows: 3, columns: 6))], focused: a)
    #expect(display.drawFrame() == 0)
    #expect(screen.shown.description == "cccccc\ncccccc\ncccccc")
  }

  @Test func `the cursor is the focused pane's, in the screen's cells`() {
    let display = Display(screen: screen, scheduler: timers.scheduler)
    let (a, b) = (Letter("a"), Letter("b"))
    a.cursor = Point(row: 0, column: 1)
    b.cursor = Point(row: 0, column: 9)
    let placements = [
      Placement(a, Rect(row: 0, column: 0, rows: 1, columns: 6)),
      Placement(b, Rect(row: 2, column: 3, rows: 1, columns: 3)),
    ]
    display.show(placements, focused: a)
    display.drawFrame()
    #expect(screen.cursor == Point(row: 0, column: 1))
    display.show(placements, focused: b)
    display.drawFrame()
    #expect(screen.cursor == Point(row: 2, column: 5))
    display.show(placements, focused: nil)
    display.drawFrame()
    #expect(screen.cursor == nil)
  }
}
