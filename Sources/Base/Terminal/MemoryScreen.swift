/// A screen in memory: for tests and for printing screens as text.
@MainActor package final class MemoryScreen: Screen {
  package private(set) var size: Size
  /// The next frame: the copies since the last `flush`, over the current frame.
  private var next: Surface
  /// The current frame.
  package private(set) var shown: Surface
  /// The position of the hardware cursor; `nil` when it is hidden.
  package private(set) var cursor: Point?
  /// The number of calls of `flush` and `bell`.
  package private(set) var flushCount = 0
  package private(set) var bellCount = 0
  /// Called when a frame is shown.
  package var onFlush: () -> Void = {}
  /// The last title that was set, made safe.
  package private(set) var title: String?

  /// Creates a blank screen.
  package init(size: Size) {
    self.size = size
    next = Surface(size: size)
    shown = next
  }

  /// Changes the size, as when the user resizes the window; the screen is blank then.
  package func resize(to size: Size) {
    self.size = size
    next = Surface(size: size)
    shown = next
    cursor = nil
  }

  package func copy(_ surface: Surface, row: Int, column: Int) {
    next.copy(surface, row: row, column: column)
  }

  package func clear() { next = Surface(size: size) }

  package func flush(cursor: Point?) {
    shown = next
    self.cursor = cursor
    flushCount += 1
    onFlush()
  }

  package func bell() { bellCount += 1 }

  package func setTitle(_ text: String) { title = SafeText.line(text) }
}
