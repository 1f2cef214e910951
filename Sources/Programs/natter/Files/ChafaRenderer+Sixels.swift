import NatterCore
import Panes
import Terminal

// Pictures for terminals that draw sixels.
nonisolated extension ChafaRenderer {
  /// The cell sizes that `chafa` may use, in pixels: 8 x 8 if it knows no terminal (1.12), the
  /// terminal's own if it finds that by itself (`/dev/tty`), that of a VT340. The result of a wrong
  /// guess is too large, and the next one is tried.
  private static func cells(_ cell: Size) -> [Size] {
    let usual = Size(rows: 20, columns: 10)
    return [Size(rows: 8, columns: 8), cell] + (cell == usual ? [] : [usual])
  }

  /// - Parameter size: the greatest size of the picture, in the terminal's cells.
  /// - Returns: `nil` on failure, or if there are more bytes than the link takes.
  @concurrent func sixels(of picture: PictureFile, _ size: Size, _ sixel: PictureMeans.Sixel) async
    -> Sixels?
  {
    let pixels = Size(
      rows: size.rows * sixel.cell.rows, columns: size.columns * sixel.cell.columns)
    for cell in Self.cells(sixel.cell) {
      let cells = Size(rows: pixels.rows / cell.rows, columns: pixels.columns / cell.columns)
      guard cells.rows > 0, cells.columns > 0 else { continue }
      let output = await printed(
        of: picture, cells,
        [
          "--format", "sixels", "--colors", "full", "--font-ratio", "\(cell.columns)/\(cell.rows)",
        ])
      // No output may also mean a wrong guess: far too large output is cut.
      guard let output else { continue }
      if let sixels = Sixels(printed: output, within: pixels) {
        return sixels.bytes.count <= sixel.byteLimit ? sixels : nil
      }
    }
    return nil
  }
}
