import Terminal
import Text
import ViewModels

extension Glyphs {
  /// A line in visual order, if the terminal leaves that to the program.
  func inOrder(_ line: String) -> String {
    ordersText ? BidiOrder.visual(line, isRightToLeft: BidiOrder.isRightToLeft(line)) : line
  }
}
