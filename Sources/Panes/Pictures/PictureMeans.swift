import NatterCore
import Terminal

/// What pictures can be drawn with on this screen.
nonisolated package struct PictureMeans: Hashable, Sendable {
  /// How the terminal gets the pictures that it draws by itself.
  package enum Handover: Hashable, Sendable {
    /// It reads the file.
    case path
    /// It is sent the bytes, where there are no more than this many.
    case bytes(limit: Int)
  }

  /// Sixels, which a program makes for a terminal that draws them.
  package struct Sixel: Hashable, Sendable {
    /// How many pixels a cell has.
    package var cell: Size
    /// Bytes of one picture that are not too many for the line.
    package var byteLimit: Int

    package init(cell: Size, byteLimit: Int) { (self.cell, self.byteLimit) = (cell, byteLimit) }
  }

  /// What a program makes of the pictures that the terminal does not draw by itself.
  package enum Signs: Hashable, Sendable { case none, letters, blocks }

  /// The kinds that the terminal draws by itself.
  package var ownKinds: Set<String>
  package var handover: Handover
  package var signs: Signs
  /// For a picture that is looked at by itself, in place of signs: what scrolls would have to be sent again each time.
  package var sixel: Sixel?
  /// How much higher than wide a cell is.
  package var cellRatio: Double

  package init(
    ownKinds: Set<String> = [], handover: Handover = .path, signs: Signs = .none,
    sixel: Sixel? = nil, cellRatio: Double = 2
  ) {
    self.ownKinds = ownKinds
    self.handover = handover
    self.signs = signs
    self.sixel = sixel
    self.cellRatio = cellRatio
  }

  /// Pictures are not drawn.
  package static let none = PictureMeans()

  /// Whether any picture is drawn.
  package var drawsAny: Bool { signs != .none || !ownKinds.isEmpty }

  enum Way: Hashable { case terminal, sixel(Sixel), signs }

  /// What draws that picture; `nil`: nothing.
  /// - Parameter isAlone: whether it is looked at by itself.
  func way(of file: PictureFile, isAlone: Bool = false) -> Way? {
    guard file.byteCount <= PictureFile.byteLimit, file.width > 0, file.height > 0,
      file.width <= PictureFile.pixelLimit / file.height
    else { return nil }
    if ownKinds.contains(file.mediaType) {
      switch handover {
      case .path: return .terminal
      case .bytes(let limit): if file.byteCount <= limit { return .terminal }
      }
    }
    guard signs != .none else { return nil }
    return isAlone ? sixel.map { .sixel($0) } ?? .signs : .signs
  }
}

/// How large pictures are drawn, of which some cannot be.
nonisolated struct PictureSizes: Hashable, Sendable {
  let means: PictureMeans
  /// Those that turned out to be none.
  let failed: Set<PictureFile>

  /// As a picture on a screen is, and no larger than `limit`; `nil` when it is not drawn.
  func size(of file: PictureFile, within limit: Size) -> Size? {
    guard limit.rows > 0, limit.columns > 0, !failed.contains(file), means.way(of: file) != nil
    else { return nil }
    // Eight pixels a column: small ones stay small.
    let columns = Double(file.width) / 8
    let rows = Double(file.height) / (8 * means.cellRatio)
    let scale = min(1, Double(limit.columns) / columns, Double(limit.rows) / rows)
    return Size(
      rows: min(limit.rows, max(1, Int((rows * scale).rounded()))),
      columns: min(limit.columns, max(1, Int((columns * scale).rounded()))))
  }
}
