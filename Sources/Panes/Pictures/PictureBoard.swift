import NatterCore
import Terminal
import ViewModels

/// Draws the pictures of all panes, and keeps what that took: one for the whole screen.
///
/// Nothing is fetched here: a picture is a file on this disk. What has to be read or made first appears when it is there.
package final class PictureBoard {
  /// Makes signs in colours of a picture, at most so large; `nil` when that cannot be done.
  package typealias SignMaking =
    @Sendable (PictureFile, Size, PictureMeans.Signs) async -> PictureCells?
  /// Makes sixels of a picture, at most so many cells large; `nil` when that cannot be done.
  package typealias SixelMaking =
    @Sendable (PictureFile, Size, PictureMeans.Sixel) async -> Sixels?
  /// Reads a picture's bytes; `nil` when that cannot be done.
  package typealias Reading = @Sendable (PictureFile) async -> [UInt8]?

  /// What can be drawn with now.
  package var means: PictureMeans {
    didSet { if means != oldValue { forget() } }
  }
  private let makeSigns: SignMaking
  private let makeSixels: SixelMaking
  private let read: Reading
  private let lifetime = Lifetime()

  /// A picture in a size, as signs and sixels have to be made anew for each.
  private struct Key: Hashable {
    let file: PictureFile
    let size: Size
    /// `nil`: signs.
    var sixel: PictureMeans.Sixel?
  }

  private enum Made {
    case signs(PictureCells)
    case sixels(Picture)
  }

  private var failed: Set<PictureFile> = []
  /// Those that sixels could not be made of, or too many for the line.
  private var withoutSixels: Set<PictureFile> = []
  private var made: [Key: Made] = [:]
  /// Those that were drawn last at the end.
  private var used: [Key] = []
  /// What was asked for and is not there, the last wish at the end, with the panes that wait for it.
  private var wishes: [(key: Key, waiting: [Invalidation])] = []
  private var isMaking = false
  private var ids: [PictureFile: UInt32] = [:]
  private var lastID: UInt32 = 0
  private var bytes: [PictureFile: [UInt8]] = [:]
  private var readFiles: [PictureFile] = []
  private var waiting: [PictureFile: [Invalidation]] = [:]

  private static let madeLimit = 60
  /// Sixels of one picture are as many bytes as the signs of a hundred.
  private static let sixelLimit = 4
  private static let wishLimit = 12
  /// Bytes of pictures that are kept to be sent.
  private static let byteLimit = 8_000_000

  package init(
    means: PictureMeans = .none, makeSigns: @escaping SignMaking = { _, _, _ in nil },
    makeSixels: @escaping SixelMaking = { _, _, _ in nil },
    read: @escaping Reading = { _ in nil }
  ) {
    self.means = means
    self.makeSigns = makeSigns
    self.makeSixels = makeSixels
    self.read = read
  }

  /// How large pictures are drawn now.
  var sizes: PictureSizes { PictureSizes(means: means, failed: failed) }

  /// Returns when everything that was begun is done.
  package func settle() async { await lifetime.settle() }

  private func forget() {
    (failed, withoutSixels, made, used, wishes) = ([], [], [:], [], [])
    (bytes, readFiles) = ([:], [])
  }

  /// What draws that picture; `nil`: nothing.
  func way(of file: PictureFile, isAlone: Bool = false) -> PictureMeans.Way? {
    means.way(of: file, isAlone: isAlone && !withoutSixels.contains(file))
  }

  /// Draws rows of a picture into a surface.
  /// - Parameters:
  ///   - size: as `sizes` has it.
  ///   - rows: those of its rows that are to be seen.
  ///   - place: of the first of them.
  ///   - isAlone: whether it is looked at by itself.
  ///   - pane: is drawn again when the picture is there.
  func draw(
    _ file: PictureFile, size: Size, rows: Range<Int>, at place: Point, isAlone: Bool = false,
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
    case .signs:
      if case .signs(let cells) = made(of: Key(file: file, size: size), for: pane) {
        surface.draw(cells, rows: rows, row: place.row, column: place.column)
      }
      return
    case nil: return
    }
    surface.place(
      PlacedPicture(
        picture,
        rect: Rect(row: place.row, column: place.column, rows: rows.count, columns: size.columns),
        hiddenRows: rows.lowerBound, allRows: size.rows))
  }

  private func fail(_ file: PictureFile, telling panes: [Invalidation]) {
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
      guard let found else { return fail(file, telling: panes) }
      bytes[file] = found
      readFiles.append(file)
      while bytes.values.reduce(0, { $0 + $1.count }) > Self.byteLimit, readFiles.count > 1 {
        bytes[readFiles.removeFirst()] = nil
      }
      for pane in panes { pane.raise() }
    }
  }

  // MARK: In signs and sixels

  private func made(of key: Key, for pane: Invalidation) -> Made? {
    if let found = made[key] {
      if used.last != key {
        used.removeAll { $0 == key }
        used.append(key)
      }
      return found
    }
    guard !failed.contains(key.file) else { return nil }
    // What is looked at now comes first; what was scrolled past long ago is not made at all.
    var panes = [pane]
    if let index = wishes.firstIndex(where: { $0.key == key }) {
      panes += wishes.remove(at: index).waiting.filter { $0 !== pane }
    }
    wishes.append((key, panes))
    if wishes.count > Self.wishLimit { wishes.removeFirst() }
    makeNext()
    return nil
  }

  private func makeNext() {
    guard !isMaking, let wish = wishes.last else { return }
    isMaking = true
    let key = wish.key
    lifetime.aside { [weak self, makeSigns, makeSixels, signs = means.signs] in
      if let sixel = key.sixel {
        let sixels = await makeSixels(key.file, key.size, sixel)
        self?.take(sixels.flatMap { self?.picture($0) }, for: key, wish.waiting)
      } else {
        let cells = await makeSigns(key.file, key.size, signs)
        self?.take(cells.map { .signs($0) }, for: key, wish.waiting)
      }
    }
  }

  /// Another size is another picture: the terminal has to be sent it.
  private func picture(_ sixels: Sixels) -> Made {
    .sixels(
      Picture(
        id: nextID(), width: sixels.size.columns, height: sixels.size.rows, source: .sixels(sixels))
    )
  }

  private func take(_ result: Made?, for key: Key, _ asked: [Invalidation]) {
    isMaking = false
    var panes = asked
    if let index = wishes.firstIndex(where: { $0.key == key }) {
      panes = wishes.remove(at: index).waiting
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
      // One that was made for a terminal of another size of cells says nothing.
      if key.sixel == means.sixel { withoutSixels.insert(key.file) }
      for pane in panes { pane.raise() }
    } else {
      fail(key.file, telling: panes)
    }
    makeNext()
  }
}
