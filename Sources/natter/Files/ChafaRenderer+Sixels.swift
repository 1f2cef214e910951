import NatterCore
import Panes
import Terminal

// Pictures for terminals that draw sixels.
nonisolated extension ChafaRenderer {
  /// What a cell may be to `chafa`, in pixels: 8 x 8 where it knows no terminal (1.12), the terminal's own where it finds that
  /// behind its back (`/dev/tty`), that of a VT340. What comes of a wrong guess is too large, and the next one is tried.
  private static func cells(_ cell: Size) -> [Size] {
    let usual = Size(rows: 20, columns: 10)
    return [Size(rows: 8, columns: 8), cell] + (cell == usual ? [] : [usual])
  }

  /// - Parameter size: the cells of the terminal that the picture may have.
  /// - Returns: `nil` when nothing came of it, or more than the line takes.
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
      // Nothing, too: what is far too large is cut.
      guard let output else { continue }
      if let sixels = Sixels(printed: output, within: pixels) {
        return sixels.bytes.count <= sixel.byteLimit ? sixels : nil
      }
    }
    return nil
  }
}
