import Terminal
import ViewModels

/// A rectangle of the screen that draws one view model and takes input while it has focus.
package protocol Pane: AnyObject {
  /// Raised while the screen is out of date: the view model's own flag.
  var invalidation: Invalidation { get }
  /// Draws everything; `surface` is blank and has exactly the size of the pane's frame. A pane that
  /// has the focus sets `surface.cursor`.
  func draw(into surface: inout Surface)
  func handle(_ key: Key) -> KeyDisposition
  /// Handles text that was pasted while this pane has the focus.
  func handlePaste(_ text: String) -> KeyDisposition
  /// Handles a mouse event; `at` is relative to the pane's top left.
  func handle(_ mouse: MouseEvent) -> KeyDisposition
}

extension Point {
  /// The same point, relative to the top left of `frame`.
  func inside(_ frame: Rect) -> Point {
    Point(row: row - frame.origin.row, column: column - frame.origin.column)
  }
}

extension MouseEvent {
  /// The same event, its point relative to the top left of `frame`.
  func inside(_ frame: Rect) -> MouseEvent {
    var event = self
    event.at = at.inside(frame)
    return event
  }
}

extension Pane {
  package func handle(_ key: Key) -> KeyDisposition { .ignored }
  package func handlePaste(_ text: String) -> KeyDisposition { .ignored }
  package func handle(_ mouse: MouseEvent) -> KeyDisposition { .ignored }
}
