import Terminal
import ViewModels

extension Glyphs {
  /// A line as it is drawn from the left, where the terminal leaves that to the program.
  func inOrder(_ line: String) -> String {
    ordersText ? BidiOrder.visual(line, isRightToLeft: BidiOrder.isRightToLeft(line)) : line
  }
}
