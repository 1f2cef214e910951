import NatterCore
import Terminal

/// The ways in which pictures can be drawn on this screen.
nonisolated package struct PictureMeans: Hashable, Sendable {
  /// The transfer of pictures to a terminal that draws them itself.
  package enum Handover: Hashable, Sendable {
    /// It reads the file.
    case path
    /// It is sent the bytes, if there are no more than this many.
    case bytes(limit: Int)
  }

  /// Sixels, which a program makes for a terminal that draws them.
  package struct Sixel: Hashable, Sendable {
    /// The size of a cell in pixels.
    package var cell: Size
    /// The greatest size in bytes of one picture that suits the link.
    package var byteLimit: Int

    package init(cell: Size, byteLimit: Int) { (self.cell, self.byteLimit) = (cell, byteLimit) }
  }

  /// The characters that replace pictures that the terminal does not draw itself.
  package enum Symbols: Hashable, Sendable { case none, letters, blocks }

  /// The media types that the terminal draws itself.
  package var ownKinds: Set<String>
  package var handover: Handover
  package var symbols: Symbols
  /// For a picture that is viewed by itself, instead of characters: scrolling would have to send it
  /// again each time.
  package var sixel: Sixel?
  /// The ratio of a cell's height to its width.
  package var cellRatio: Double

  package init(
    ownKinds: Set<String> = [], handover: Handover = .path, symbols: Symbols = .none,
    sixel: Sixel? = nil, cellRatio: Double = 2
  ) {
    self.ownKinds = ownKinds
    self.handover = handover
    self.symbols = symbols
    self.sixel = sixel
    self.cellRatio = cellRatio
  }

  /// No pictures are drawn.
  package static let none = PictureMeans()

  /// Indicates whether any picture is drawn.
  package var drawsAny: Bool { symbols != .none || !ownKinds.isEmpty }

  enum Way: Hashable { case terminal, sixel(Sixel), symbols }

  /// The way in which a picture is drawn; `nil`: not at all.
  /// - Parameter isAlone: whether it is viewed by itself.
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
    guard symbols != .none else { return nil }
    return isAlone ? sixel.map { .sixel($0) } ?? .symbols : .symbols
  }
}

/// The sizes of drawn pictures, some of which may be unreadable.
nonisolated struct PictureSizes: Hashable, Sendable {
  let means: PictureMeans
  /// The files that could not be read as pictures.
  let failed: Set<PictureFile>

  /// The size of a picture on the screen, no larger than `limit`; `nil` when it is not drawn.
  func size(of file: PictureFile, within limit: Size) -> Size? {
    guard limit.rows > 0, limit.columns > 0, !failed.contains(file), means.way(of: file) != nil
    else { return nil }
    // Eight pixels a column: small pictures stay small.
    let columns = Double(file.width) / 8
    let rows = Double(file.height) / (8 * means.cellRatio)
    let scale = min(1, Double(limit.columns) / columns, Double(limit.rows) / rows)
    return Size(
      rows: min(limit.rows, max(1, Int((rows * scale).rounded()))),
      columns: min(limit.columns, max(1, Int((columns * scale).rounded()))))
  }
}
