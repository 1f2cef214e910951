import NatterCore
import Terminal
import Text
import ViewModels

/// The preview of a file, drawn into a rectangle: the first lines of a text, or a picture and its
/// description.
struct PreviewDrawing {
  let preview: FilePreview
  let localizer: Localizer
  let glyphs: Glyphs
  let pictures: PictureBoard

  /// - Parameter pane: is redrawn when the picture is ready.
  func draw(in rect: Rect, for pane: Invalidation, into surface: inout Surface) {
    guard rect.size.rows > 0, rect.size.columns > 0 else { return }
    switch preview {
    case .text(let lines):
      for (offset, line) in lines.prefix(rect.size.rows).enumerated() {
        surface.write(
          SafeText.line(line).truncated(columns: rect.size.columns, mark: glyphs.ellipsis),
          row: rect.origin.row + offset, column: rect.origin.column, role: .overlay,
          limit: rect.size.columns)
      }
    case .picture(let file):
      let kind = file.mediaType.split(separator: "/").last.map { $0.uppercased() } ?? ""
      drawNote("\(kind), \(file.width) x \(file.height)", in: rect, into: &surface)
      let room = Size(rows: rect.size.rows - 1, columns: rect.size.columns)
      guard let size = pictures.sizes.size(of: file, within: room) else { return }
      pictures.draw(
        file, size: size, rows: 0..<size.rows,
        at: Point(row: rect.origin.row + 1, column: rect.origin.column), for: pane,
        into: &surface)
    case .nothing: drawNote(localizer("picker.noPreview"), in: rect, into: &surface)
    case .unreadable: drawNote(localizer("picker.unreadable"), in: rect, into: &surface)
    }
  }

  private func drawNote(_ text: String, in rect: Rect, into surface: inout Surface) {
    for (offset, line) in LineWrap.rows(of: text, width: rect.size.columns).enumerated()
    where offset < rect.size.rows {
      surface.write(
        line, row: rect.origin.row + offset, column: rect.origin.column, role: .dim,
        limit: rect.size.columns)
    }
  }
}
