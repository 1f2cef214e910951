/// A screen that only remembers what was put on it: for tests and for printing screens as text.
@MainActor package final class MemoryScreen: Screen {
  package private(set) var size: Size
  /// What has been copied since the last `flush` and is not shown yet, on top of what is shown.
  private var next: Surface
  /// What is shown.
  package private(set) var shown: Surface
  /// Where the hardware cursor stands; `nil` when it is hidden.
  package private(set) var cursor: Point?
  /// How often `flush`, `bell` were called.
  package private(set) var flushCount = 0
  package private(set) var bellCount = 0
  /// Called when a frame is shown.
  package var onFlush: () -> Void = {}
  /// The last title that was set, made safe.
  package private(set) var title: String?

  /// A blank screen.
  package init(size: Size) {
    self.size = size
    next = Surface(size: size)
    shown = next
  }

  /// Makes the screen another size, as a user who pulls at a window's corner; it is blank then.
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
