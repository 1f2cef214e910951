import Terminal
import ViewModels

/// A pane and where it is on the screen.
package struct Placement {
  package let pane: any Pane
  package let frame: Rect
  package init(_ pane: any Pane, _ frame: Rect) {
    self.pane = pane
    self.frame = frame
  }
}

/// Brings what panes draw to the screen: only those that are stale, at most once a frame.
package final class Display {
  /// The shortest time between two frames that nobody's key asked for.
  package static let frameTime = Duration.milliseconds(16)
  /// The same while one frame follows another: nobody reads what stands there for a sixtieth of a second, and what draws it has
  /// better things to do then.
  package static let floodTime = Duration.milliseconds(48)

  /// The same where the line to the terminal is slow: what comes meanwhile is shown at one go, and rows that it pushes out are
  /// never sent.
  package static let slowTime = Duration.milliseconds(500)
  /// Whether that line is slow.
  package var isSlow = false
  /// Whether it still takes the frame before: what comes meanwhile is shown at one go when it has.
  package var isLineBusy = false { didSet { if !isLineBusy { flushIfDue() } } }

  /// The shortest time from a key's frame to the next: a key that is held down is faster than anybody sees.
  package static let keyTime = Duration.milliseconds(33)
  /// Bytes of a frame that is followed by another at once: a letter that was typed.
  package static let smallFrame = 200

  /// Called before each frame, to see whether the layout still holds.
  package var beforeFrame: () -> Void = {}
  /// Called when a frame stands on the screen.
  package var afterFrame: () -> Void = {}

  /// A pane that is given room when it has something to say: a frame is due then, though it is not placed.
  var waiting: (any Pane)? {
    didSet { if waiting !== oldValue { oldValue?.invalidation.connect {} } }
  }

  /// How many of the next frames need not wait for `frameTime`: what a start shows comes from the database in a few steps, and
  /// somebody waits for it.
  package var hurriedFrames = 0
  private static let hurriedTime = Duration.milliseconds(2)

  /// Ends `hold` when its time is over; `nil`: frames are drawn.
  private var cancelHold: (() -> Void)?

  /// What is done to the text of all panes.
  package var look = TextLook() { didSet { if look != oldValue { drawAll() } } }

  private struct Slot {
    let placement: Placement
    var surface: Surface
    var isFresh = false
  }

  private let screen: any Screen
  private let scheduler: Scheduler
  private let now: () -> ContinuousClock.Instant
  /// When the last frame that no key asked for stood on the screen.
  private var lastFrame: ContinuousClock.Instant?
  private var slots: [Slot] = []
  private var focused: (any Pane)?
  /// Takes the next frame back; `nil`: none is due.
  private var cancelFrame: (() -> Void)?
  /// Whether a frame is being drawn, or will be when what is to be seen is known: it need not be asked for.
  private var isDrawing = false
  private var mustCopyAll = true
  private var slide: DisplaySlide?
  private var cursor: Point?
  private var hasCursor = false
  /// Whether there is a frame that the screen has and does not show.
  private var isFlushDue = false
  private var isGathering = false
  /// Takes back that it is shown in a moment.
  private var cancelFlush: (() -> Void)?
  /// How many bytes the frame had that is being shown, where that is known.
  private var sentBytes = 0
  /// When a key's frame was shown that was not small.
  private var lastLarge: ContinuousClock.Instant?
  /// When the last key was pressed, and whether it followed another one faster than is shown.
  private var lastKey: ContinuousClock.Instant?
  private var areKeysFast = false

  /// - Parameter now: tells whether frames follow each other.
  package init(
    screen: any Screen, scheduler: Scheduler,
    now: @escaping () -> ContinuousClock.Instant = { .now }
  ) {
    self.screen = screen
    self.scheduler = scheduler
    self.now = now
  }

  package var size: Size { screen.size }

  /// Shows `placements`, later ones above earlier ones; panes that stay where they are, are not drawn anew.
  /// - Parameter focused: the pane whose cursor the terminal shows.
  package func show(_ placements: [Placement], focused: (any Pane)?) {
    defer { listen(placements) }
    if self.focused !== focused {
      self.focused = focused
      requestFrame()
    }
    let isSame =
      placements.count == slots.count
      && zip(placements, slots).allSatisfy {
        $0.pane === $1.placement.pane && $0.frame == $1.placement.frame
      }
    guard !isSame else { return }
    let old = slots
    slots = placements.map { placement in
      if let slot = old.first(where: {
        $0.placement.pane === placement.pane && $0.placement.frame.size == placement.frame.size
      }) {
        return Slot(placement: placement, surface: slot.surface, isFresh: slot.isFresh)
      }
      return Slot(placement: placement, surface: Surface(size: placement.frame.size))
    }
    for slot in old where !placements.contains(where: { $0.pane === slot.placement.pane }) {
      slot.placement.pane.invalidation.connect {}
    }
    for placement in placements {
      placement.pane.invalidation.connect { [weak self] in self?.requestFrame() }
    }
    mustCopyAll = true
    requestFrame()
  }

  private func listen(_ placements: [Placement]) {
    guard let waiting, !placements.contains(where: { $0.pane === waiting }) else { return }
    // What it has to say now was asked for when the places were given.
    waiting.invalidation.lower()
    waiting.invalidation.connect { [weak self] in self?.requestFrame() }
  }

  /// Has everything drawn and copied anew: after a resize, and when something else wrote on the terminal.
  package func drawAll() {
    for index in slots.indices { slots[index].isFresh = false }
    mustCopyAll = true
    requestFrame()
  }

  /// Has what comes next slide in over what is shown; keys do not wait for it.
  func slide(fromRight isFromRight: Bool) {
    guard screen.size.columns > DisplaySlide.steps else { return }
    slide = DisplaySlide(before: composition, isFromRight: isFromRight)
  }

  /// Everything that is shown, on one surface.
  private var composition: Surface {
    var all = Surface(size: screen.size)
    for slot in slots {
      let origin = slot.placement.frame.origin
      all.copy(slot.surface, row: origin.row, column: origin.column)
    }
    return all
  }

  /// Draws nothing until `release`, and for `limit` at most: what a start shows comes from the database in a few steps, and half of
  /// it would only be drawn to be drawn over.
  package func hold(for limit: Duration) {
    cancelHold?()
    cancelHold = scheduler.after(limit) { [weak self] in self?.release() }
  }

  /// Draws what there is, if it was held back.
  package func release() {
    guard let cancelHold else { return }
    cancelHold()
    self.cancelHold = nil
    drawTimedFrame()
  }

  /// Shows nothing until `work` is done: what is done by keys that came at once is one frame. Each is drawn all the same, as the
  /// next may go by where things stand.
  package func gather(_ work: () -> Void) {
    guard !isGathering else { return work() }
    isGathering = true
    work()
    isGathering = false
    flushIfDue()
  }

  /// Tells how many bytes the frame had that is being shown.
  package func sent(bytes: Int) { sentBytes = bytes }

  package func requestFrame() {
    guard cancelFrame == nil, !isDrawing else { return }
    let delay =
      slide != nil ? DisplaySlide.stepTime : hurriedFrames > 0 ? Self.hurriedTime : ordinaryDelay
    hurriedFrames = max(0, hurriedFrames - 1)
    cancelFrame = scheduler.after(delay) { [weak self] in self?.drawTimedFrame() }
  }

  private func drawTimedFrame() {
    drawFrame(isTimed: true)
    lastFrame = now()
  }

  private var ordinaryDelay: Duration {
    guard let lastFrame else { return Self.frameTime }
    if isSlow, now() - lastFrame < Self.slowTime { return Self.slowTime }
    guard now() - lastFrame < Self.frameTime else { return Self.frameTime }
    return Self.floodTime
  }

  /// Has `arrange` tell what is to be seen, and draws it.
  func drawFrame(after arrange: () -> Void) {
    isDrawing = true
    arrange()
    isDrawing = false
    drawFrame()
  }

  /// Draws what is stale and shows it; called by the frame timer, and at once after each key.
  /// - Returns: how many panes were drawn.
  @discardableResult package func drawFrame() -> Int { drawFrame(isTimed: false) }

  @discardableResult private func drawFrame(isTimed: Bool) -> Int {
    // A key's frame shows what the due one would have shown.
    cancelDueFrame()
    if !isTimed {
      let time = now()
      areKeysFast = lastKey.map { time - $0 < Self.keyTime } ?? false
      lastKey = time
    }
    guard cancelHold == nil else { return 0 }
    beforeFrame()
    var drawn = 0
    // Panes above another that was drawn have to be copied again.
    var isBelowChanged = mustCopyAll
    if mustCopyAll { screen.clear() }
    let overlap = slots.indices.map { index in isCovering(index) }
    for index in slots.indices {
      let isStale = slots[index].placement.pane.invalidation.isRaised || !slots[index].isFresh
      if isStale {
        slots[index].placement.pane.invalidation.lower()
        var surface = Surface(size: slots[index].placement.frame.size, look: look)
        slots[index].placement.pane.draw(into: &surface)
        slots[index].surface = surface
        slots[index].isFresh = true
        drawn += 1
      }
      if isStale || mustCopyAll || (isBelowChanged && overlap[index]) {
        let origin = slots[index].placement.frame.origin
        screen.copy(slots[index].surface, row: origin.row, column: origin.column)
      }
      isBelowChanged = isBelowChanged || isStale
    }
    if var moving = slide {
      let frame = moving.next(to: composition, at: now())
      slide = moving.isOver ? nil : moving
      screen.copy(frame, row: 0, column: 0)
      mustCopyAll = true
    }
    if drawn > 0 || mustCopyAll || cursorPlace != cursor || !hasCursor { isFlushDue = true }
    flushIfDue(isTimed: isTimed)
    mustCopyAll = slide != nil
    // Drawing may have raised a flag lowered before: that is for the next frame.
    cancelDueFrame()
    if slide != nil || slots.contains(where: { $0.placement.pane.invalidation.isRaised }) {
      requestFrame()
    }
    afterFrame()
    return drawn
  }

  /// Shows what was drawn, unless it is too soon: then it is shown when it is not, with what is drawn until then.
  private func flushIfDue(isTimed: Bool = false) {
    guard isFlushDue, !isGathering, !isLineBusy else { return }
    if areKeysFast, let lastLarge, now() - lastLarge < Self.keyTime {
      guard cancelFlush == nil else { return }
      cancelFlush = scheduler.after(Self.keyTime - (now() - lastLarge)) { [weak self] in
        guard let self else { return }
        (cancelFlush, self.lastLarge) = (nil, nil)
        flushIfDue()
      }
      return
    }
    cancelFlush?()
    cancelFlush = nil
    (isFlushDue, sentBytes) = (false, 0)
    (cursor, hasCursor) = (cursorPlace, true)
    screen.flush(cursor: cursor)
    if !isTimed, sentBytes >= Self.smallFrame { lastLarge = now() }
  }

  private func cancelDueFrame() {
    cancelFrame?()
    cancelFrame = nil
  }

  private func isCovering(_ index: Int) -> Bool {
    let frame = slots[index].placement.frame
    return slots[..<index].contains { $0.placement.frame.overlaps(frame) }
  }

  private var cursorPlace: Point? {
    guard let slot = slots.last(where: { $0.placement.pane === focused }),
      let cursor = slot.surface.cursor
    else { return nil }
    let origin = slot.placement.frame.origin
    return Point(
      row: min(screen.size.rows - 1, origin.row + cursor.row),
      column: min(screen.size.columns - 1, origin.column + cursor.column))
  }
}
