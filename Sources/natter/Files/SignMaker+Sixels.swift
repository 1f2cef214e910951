import NatterCore
import Panes
import Terminal

// Pictures for terminals that draw sixels.
nonisolated extension SignMaker {
  /// What a cell is to `chafa` where it has no terminal, in pixels, and how wide one is by its height: the former in 1.12. Where
  /// that is not so, what comes of it is too large, and the cell of a VT340 is tried.
  private static let cells = [
    (pixels: Size(rows: 8, columns: 8), ratio: "1/1"),
    (pixels: Size(rows: 20, columns: 10), ratio: "1/2"),
  ]

  /// - Parameter size: the cells of the terminal that the picture may have.
  /// - Returns: `nil` when nothing came of it, or more than the line takes.
  @concurrent func sixels(of picture: PictureFile, _ size: Size, _ sixel: PictureMeans.Sixel) async
    -> Sixels?
  {
    let pixels = Size(
      rows: size.rows * sixel.cell.rows, columns: size.columns * sixel.cell.columns)
    for cell in Self.cells {
      let cells = Size(
        rows: pixels.rows / cell.pixels.rows, columns: pixels.columns / cell.pixels.columns)
      guard cells.rows > 0, cells.columns > 0 else { continue }
      let output = await printed(
        of: picture, cells,
        ["--format", "sixels", "--colors", "full", "--font-ratio", cell.ratio])
      guard let output else { return nil }
      if let sixels = Sixels(printed: output, within: pixels) {
        return sixels.bytes.count <= sixel.byteLimit ? sixels : nil
      }
    }
    return nil
  }
}
