import Terminal
import ViewModels

/// A pane and its frame on the screen.
package struct Placement {
  package let pane: any Pane
  package let frame: Rect
  package init(_ pane: any Pane, _ frame: Rect) {
    self.pane = pane
    self.frame = frame
  }
}

/// Brings what panes draw to the screen: only stale panes, at most once per frame.
package final class Display {
  /// The shortest time between two frames that no key caused.
  package static let frameTime = Duration.milliseconds(16)
  /// The same while frames follow each other: nothing can be read in a sixtieth of a second, and
  /// the work that causes the frames needs the processor.
  package static let floodTime = Duration.milliseconds(48)

  /// The same while the link to the terminal is slow: updates are batched, and rows that scroll out
  /// meanwhile are never sent.
  package static let slowTime = Duration.milliseconds(500)
  /// Indicates whether that link is slow.
  package var isSlow = false
  /// Indicates whether the link is busy with the last frame: updates are batched until it is free.
  package var isLineBusy = false { didSet { if !isLineBusy { flushIfDue() } } }

  /// The shortest time from a key's frame to the next one: key repeat is faster than the eye.
  package static let keyTime = Duration.milliseconds(33)
  /// Frames below this size in bytes, such as a typed letter, do not delay the next one.
  package static let smallFrame = 200

  /// Called before each frame, to check whether the layout is still valid.
  package var beforeFrame: () -> Void = {}
  /// Called when a frame has been drawn.
  package var afterFrame: () -> Void = {}

  /// A pane that gets room only when it has content: its invalidation requests a frame even while
  /// it is not on the screen.
  var waiting: (any Pane)? {
    didSet { if waiting !== oldValue { oldValue?.invalidation.connect {} } }
  }

  /// The number of next frames that need not wait for `frameTime`: at startup the content comes
  /// from the database in a few steps, and the user waits for it.
  package var hurriedFrames = 0
  private static let hurriedTime = Duration.milliseconds(2)

  /// Cancels the timer that ends `hold`; `nil`: frames are drawn.
  private var cancelHold: (() -> Void)?

  /// The transformation of the text of all panes.
  package var look = TextLook() { didSet { if look != oldValue { drawAll() } } }

  private struct Slot {
    let placement: Placement
    var surface: Surface
    var isFresh = false
  }

  private let screen: any Screen
  private let scheduler: Scheduler
  private let now: () -> ContinuousClock.Instant
  /// The time at which the last frame that no key caused was drawn.
  private var lastFrame: ContinuousClock.Instant?
  private var slots: [Slot] = []
  private var focused: (any Pane)?
  /// Cancels the next frame; `nil`: none is scheduled.
  private var cancelFrame: (() -> Void)?
  /// Indicates whether a frame is being drawn, or is about to be once the layout is known: no
  /// request is needed.
  private var isDrawing = false
  private var mustCopyAll = true
  private var slide: DisplaySlide?
  private var cursor: Point?
  private var hasCursor = false
  /// Indicates whether the screen has a frame that it has not shown yet.
  private var isFlushDue = false
  private var isGathering = false
  /// Cancels a delayed flush.
  private var cancelFlush: (() -> Void)?
  /// The size in bytes of the frame that is being shown, where known.
  private var sentBytes = 0
  /// The time at which a key's frame that was not small was last shown.
  private var lastLarge: ContinuousClock.Instant?
  /// The time at which the last key was pressed, and whether it followed the previous one faster
  /// than frames are shown.
  private var lastKey: ContinuousClock.Instant?
  private var areKeysFast = false

  /// - Parameter now: the clock that shows whether frames follow each other.
  package init(
    screen: any Screen, scheduler: Scheduler,
    now: @escaping () -> ContinuousClock.Instant = { .now }
  ) {
    self.screen = screen
    self.scheduler = scheduler
    self.now = now
  }

  package var size: Size { screen.size }

  /// Shows `placements`, later ones above earlier ones. Panes whose frame has not changed are not
  /// redrawn.
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
    // The layout has already taken its current content into account.
    waiting.invalidation.lower()
    waiting.invalidation.connect { [weak self] in self?.requestFrame() }
  }

  /// Redraws and copies everything: after a resize, and when another program wrote to the terminal.
  package func drawAll() {
    for index in slots.indices { slots[index].isFresh = false }
    mustCopyAll = true
    requestFrame()
  }

  /// Slides the next content in over the current one; keys do not wait for it.
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

  /// Draws nothing until `release`, for at most `limit`: at startup the content comes from the
  /// database in a few steps, and intermediate frames would be overwritten at once.
  package func hold(for limit: Duration) {
    cancelHold?()
    cancelHold = scheduler.after(limit) { [weak self] in self?.release() }
  }

  /// Draws the current content if it was held back.
  package func release() {
    guard let cancelHold else { return }
    cancelHold()
    self.cancelHold = nil
    drawTimedFrame()
  }

  /// Flushes only after `work`, so that keys that arrive together cause one visible frame. Each
  /// step is still drawn, because the next key may depend on the layout.
  package func gather(_ work: () -> Void) {
    guard !isGathering else { return work() }
    isGathering = true
    work()
    isGathering = false
    flushIfDue()
  }

  /// Reports how many bytes the frame has that is being shown.
  package func sent(bytes: Int) { sentBytes = bytes }

  /// Schedules a frame, unless one is already due.
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

  /// Updates the layout with `arrange` and draws it.
  func drawFrame(after arrange: () -> Void) {
    isDrawing = true
    arrange()
    isDrawing = false
    drawFrame()
  }

  /// Draws the stale panes and shows them; called by the frame timer, and at once after each key.
  /// - Returns: how many panes were drawn.
  @discardableResult package func drawFrame() -> Int { drawFrame(isTimed: false) }

  @discardableResult private func drawFrame(isTimed: Bool) -> Int {
    // A key's frame also shows what the scheduled one would have shown.
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
    if drawn > 0 || mustCopyAll || cursorPosition != cursor || !hasCursor { isFlushDue = true }
    flushIfDue(isTimed: isTimed)
    mustCopyAll = slide != nil
    // Drawing may have raised a flag that was lowered before: that is for the next frame.
    cancelDueFrame()
    if slide != nil || slots.contains(where: { $0.placement.pane.invalidation.isRaised }) {
      requestFrame()
    }
    afterFrame()
    return drawn
  }

  /// Shows what was drawn, or, when that is too soon, schedules it together with what is drawn
  /// until then.
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
    (cursor, hasCursor) = (cursorPosition, true)
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

  private var cursorPosition: Point? {
    guard let slot = slots.last(where: { $0.placement.pane === focused }),
      let cursor = slot.surface.cursor
    else { return nil }
    let origin = slot.placement.frame.origin
    return Point(
      row: min(screen.size.rows - 1, origin.row + cursor.row),
      column: min(screen.size.columns - 1, origin.column + cursor.column))
  }
}
