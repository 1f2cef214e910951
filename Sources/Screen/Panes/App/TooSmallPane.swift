import Terminal
import Text
import ViewModels

/// The notice that the screen is too small for anything else, and what to do about it
/// (interface.md, "Layout").
package final class TooSmallPane: Pane {
  package let invalidation: Invalidation

  private let localizer: Localizer
  /// The number of unread messages.
  private let unread: () -> Int

  /// - Parameter invalidation: raised when the number changes.
  package init(
    localizer: Localizer, following invalidation: Invalidation = Invalidation(),
    unread: @escaping () -> Int = { 0 }
  ) {
    self.localizer = localizer
    self.invalidation = invalidation
    self.unread = unread
  }

  package func draw(into surface: inout Surface) {
    let size = surface.size
    // A fragment of a word says nothing.
    guard size.rows > 2 || size.columns > 5 else { return }
    var text = localizer("status.tooSmall", ["size": "\(size.columns)x\(size.rows)"])
    let unread = unread()
    if unread > 0 {
      text += " " + localizer("status.tooSmallUnread", ["count": "\(unread)"])
    }
    let lines = LineWrap.rows(of: text, width: max(1, size.columns))
    let first = max(0, (size.rows - lines.count) / 2)
    for (offset, line) in lines.enumerated() {
      surface.write(
        line, row: first + offset, column: max(0, (size.columns - line.columns) / 2))
    }
  }
}
