import NatterCore
import Terminal
import ViewModels

/// Draws the pictures of all panes, and caches the results: one board for the whole screen.
///
/// It downloads nothing: a picture is a local file. Pictures that have to be read or converted
/// first appear when they are ready.
package final class PictureBoard {
  /// Converts a picture into coloured characters, of at most the given size; `nil` on failure.
  package typealias SymbolMaking =
    @Sendable (PictureFile, Size, PictureMeans.Symbols) async -> PictureCells?
  /// Converts a picture into sixels, of at most the given size in cells; `nil` on failure.
  package typealias SixelMaking =
    @Sendable (PictureFile, Size, PictureMeans.Sixel) async -> Sixels?
  /// Reads a picture's bytes; `nil` on failure.
  package typealias Reading = @Sendable (PictureFile) async -> [UInt8]?

  /// The ways in which pictures can be drawn now.
  package var means: PictureMeans {
    didSet { if means != oldValue { forget() } }
  }
  private let makeSymbols: SymbolMaking
  private let makeSixels: SixelMaking
  private let read: Reading
  private let lifetime = Lifetime()

  /// A picture in one size: characters and sixels have to be made separately for each size.
  private struct Key: Hashable {
    let file: PictureFile
    let size: Size
    /// `nil`: characters.
    var sixel: PictureMeans.Sixel?
  }

  private enum Made {
    case symbols(PictureCells)
    case sixels(Picture)
  }

  private var failed: Set<PictureFile> = []
  /// The pictures that sixels could not be made of, or too many for the link.
  private var withoutSixels: Set<PictureFile> = []
  private var made: [Key: Made] = [:]
  /// The results by their last use, the most recent at the end.
  private var used: [Key] = []
  /// The conversions that are requested, the most recent at the end, with the panes that wait for
  /// them.
  private var requests: [(key: Key, waiting: [Invalidation])] = []
  private var isMaking = false
  private var ids: [PictureFile: UInt32] = [:]
  private var lastID: UInt32 = 0
  private var bytes: [PictureFile: [UInt8]] = [:]
  private var readFiles: [PictureFile] = []
  private var waiting: [PictureFile: [Invalidation]] = [:]

  private static let madeLimit = 60
  /// The sixels of one picture have as many bytes as the characters of a hundred.
  private static let sixelLimit = 4
  private static let requestLimit = 12
  /// Limit in bytes of the pictures that are kept for the terminal.
  private static let byteLimit = 8_000_000

  package init(
    means: PictureMeans = .none, makeSymbols: @escaping SymbolMaking = { _, _, _ in nil },
    makeSixels: @escaping SixelMaking = { _, _, _ in nil },
    read: @escaping Reading = { _ in nil }
  ) {
    self.means = means
    self.makeSymbols = makeSymbols
    self.makeSixels = makeSixels
    self.read = read
  }

  /// The sizes of pictures as they are drawn now.
  var sizes: PictureSizes { PictureSizes(means: means, failed: failed) }

  /// Returns when all work in progress is done.
  package func settle() async { await lifetime.settle() }

  private func forget() {
    (failed, withoutSixels, made, used, requests) = ([], [], [:], [], [])
    (bytes, readFiles) = ([:], [])
  }

  /// The way in which a picture is drawn; `nil`: not at all.
  func way(of file: PictureFile, isAlone: Bool = false) -> PictureMeans.Way? {
    means.way(of: file, isAlone: isAlone && !withoutSixels.contains(file))
  }

  /// Draws rows of a picture into a surface.
  /// - Parameters:
  ///   - size: as `sizes` returns it.
  ///   - rows: the visible rows of the picture.
  ///   - position: the position of the first of them.
  ///   - isAlone: whether the picture is viewed by itself.
  ///   - pane: is redrawn when the picture is ready.
  func draw(
    _ file: PictureFile, size: Size, rows: Range<Int>, at position: Point, isAlone: Bool = false,
    for pane: Invalidation, into surface: inout Surface
  ) {
    let picture: Picture
    switch way(of: file, isAlone: isAlone) {
    case .terminal:
      guard let found = self.picture(of: file, for: pane) else { return }
      picture = found
    case .sixel(let sixel):
      let key = Key(file: file, size: size, sixel: sixel)
      guard case .sixels(let found) = made(of: key, for: pane) else { return }
      picture = found
    case .symbols:
      if case .symbols(let cells) = made(of: Key(file: file, size: size), for: pane) {
        surface.draw(cells, rows: rows, row: position.row, column: position.column)
      }
      return
    case nil: return
    }
    surface.position(
      PositionedPicture(
        picture,
        rect: Rect(
          row: position.row, column: position.column, rows: rows.count, columns: size.columns),
        hiddenRows: rows.lowerBound, allRows: size.rows))
  }

  private func fail(_ file: PictureFile, showing panes: [Invalidation]) {
    failed.insert(file)
    for pane in panes { pane.raise() }
  }

  // MARK: By the terminal

  private func picture(of file: PictureFile, for pane: Invalidation) -> Picture? {
    let source: Picture.Source
    switch means.handover {
    case .path: source = .file(file.path)
    case .bytes:
      guard let bytes = bytes[file] else {
        if !failed.contains(file) { load(file, for: pane) }
        return nil
      }
      source = .bytes(bytes)
    }
    if ids[file] == nil { ids[file] = nextID() }
    return ids[file].map {
      Picture(id: $0, width: file.width, height: file.height, source: source)
    }
  }

  private func nextID() -> UInt32 {
    lastID += 1
    return lastID
  }

  private func load(_ file: PictureFile, for pane: Invalidation) {
    guard waiting[file] == nil else {
      waiting[file]?.append(pane)
      return
    }
    waiting[file] = [pane]
    lifetime.aside { [weak self, read] in
      let found = await read(file)
      guard let self else { return }
      let panes = waiting.removeValue(forKey: file) ?? []
      guard let found else { return fail(file, showing: panes) }
      bytes[file] = found
      readFiles.append(file)
      while bytes.values.reduce(0, { $0 + $1.count }) > Self.byteLimit, readFiles.count > 1 {
        bytes[readFiles.removeFirst()] = nil
      }
      for pane in panes { pane.raise() }
    }
  }

  // MARK: As characters and sixels

  private func made(of key: Key, for pane: Invalidation) -> Made? {
    if let found = made[key] {
      if used.last != key {
        used.removeAll { $0 == key }
        used.append(key)
      }
      return found
    }
    guard !failed.contains(key.file) else { return nil }
    // The visible pictures come first; a picture that was scrolled past long ago is not made at
    // all.
    var panes = [pane]
    if let index = requests.firstIndex(where: { $0.key == key }) {
      panes += requests.remove(at: index).waiting.filter { $0 !== pane }
    }
    requests.append((key, panes))
    if requests.count > Self.requestLimit { requests.removeFirst() }
    makeNext()
    return nil
  }

  private func makeNext() {
    guard !isMaking, let request = requests.last else { return }
    isMaking = true
    let key = request.key
    lifetime.aside { [weak self, makeSymbols, makeSixels, symbols = means.symbols] in
      if let sixel = key.sixel {
        let sixels = await makeSixels(key.file, key.size, sixel)
        self?.take(sixels.flatMap { self?.picture($0) }, for: key, request.waiting)
      } else {
        let cells = await makeSymbols(key.file, key.size, symbols)
        self?.take(cells.map { .symbols($0) }, for: key, request.waiting)
      }
    }
  }

  /// Each size has its own id: it has to be sent to the terminal separately.
  private func picture(_ sixels: Sixels) -> Made {
    .sixels(
      Picture(
        id: nextID(), width: sixels.size.columns, height: sixels.size.rows, source: .sixels(sixels))
    )
  }

  private func take(_ result: Made?, for key: Key, _ asked: [Invalidation]) {
    isMaking = false
    var panes = asked
    if let index = requests.firstIndex(where: { $0.key == key }) {
      panes = requests.remove(at: index).waiting
    }
    if let result {
      made[key] = result
      used.append(key)
      while used.count > Self.madeLimit { made[used.removeFirst()] = nil }
      if used.count(where: { $0.sixel != nil }) > Self.sixelLimit,
        let oldest = used.firstIndex(where: { $0.sixel != nil })
      {
        made[used.remove(at: oldest)] = nil
      }
      for pane in panes { pane.raise() }
    } else if key.sixel != nil {
      // A failure for another cell size says nothing about the current one.
      if key.sixel == means.sixel { withoutSixels.insert(key.file) }
      for pane in panes { pane.raise() }
    } else {
      fail(key.file, showing: panes)
    }
    makeNext()
  }
}
