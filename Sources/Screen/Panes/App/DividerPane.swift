import Terminal
import Text
import ViewModels

/// The line between two conversations.
final class DividerPane: Pane {
  let invalidation = Invalidation()
  private let glyphs: Glyphs

  init(glyphs: Glyphs) { self.glyphs = glyphs }

  func draw(into surface: inout Surface) {
    let isUpright = surface.size.columns == 1
    for row in 0..<surface.size.rows {
      surface.write(
        isUpright
          ? glyphs.vertical : String(repeating: glyphs.horizontal, count: surface.size.columns),
        row: row, column: 0, role: .border)
    }
  }
}
