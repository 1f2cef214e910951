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
  /// Reads a picture's bytes; `nil` when that cannot be done.
  package typealias Reading = @Sendable (PictureFile) async -> [UInt8]?

  /// What can be drawn with now.
  package var means: PictureMeans {
    didSet { if means != oldValue { forget() } }
  }
  private let makeSigns: SignMaking
  private let read: Reading
  private let lifetime = Lifetime()

  /// A picture in a size, as signs have to be made anew for each.
  private struct Key: Hashable {
    let file: PictureFile
    let size: Size
  }

  private var failed: Set<PictureFile> = []
  private var signs: [Key: PictureCells] = [:]
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

  private static let signLimit = 60
  private static let wishLimit = 12
  /// Bytes of pictures that are kept to be sent.
  private static let byteLimit = 8_000_000

  package init(
    means: PictureMeans = .none, makeSigns: @escaping SignMaking = { _, _, _ in nil },
    read: @escaping Reading = { _ in nil }
  ) {
    self.means = means
    self.makeSigns = makeSigns
    self.read = read
  }

  /// How large pictures are drawn now.
  var sizes: PictureSizes { PictureSizes(means: means, failed: failed) }

  /// Returns when everything that was begun is done.
  package func settle() async { await lifetime.settle() }

  private func forget() {
    (failed, signs, used, wishes, bytes, readFiles) = ([], [:], [], [], [:], [])
  }

  /// Draws rows of a picture into a surface.
  /// - Parameters:
  ///   - size: as `sizes` has it.
  ///   - rows: those of its rows that are to be seen.
  ///   - place: of the first of them.
  ///   - pane: is drawn again when the picture is there.
  func draw(
    _ file: PictureFile, size: Size, rows: Range<Int>, at place: Point, for pane: Invalidation,
    into surface: inout Surface
  ) {
    switch means.way(of: file) {
    case .terminal:
      guard let picture = picture(of: file, for: pane) else { return }
      surface.place(
        PlacedPicture(
          picture,
          rect: Rect(
            row: place.row, column: place.column, rows: rows.count, columns: size.columns),
          hiddenRows: rows.lowerBound, allRows: size.rows))
    case .signs:
      if let cells = cells(of: Key(file: file, size: size), for: pane) {
        surface.draw(cells, rows: rows, row: place.row, column: place.column)
      }
    case nil: break
    }
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
    if ids[file] == nil {
      lastID += 1
      ids[file] = lastID
    }
    return ids[file].map {
      Picture(id: $0, width: file.width, height: file.height, source: source)
    }
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

  // MARK: In signs

  private func cells(of key: Key, for pane: Invalidation) -> PictureCells? {
    if let found = signs[key] {
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
    lifetime.aside { [weak self, makeSigns, signs = means.signs] in
      let made = await makeSigns(wish.key.file, wish.key.size, signs)
      self?.take(made, for: wish.key, wish.waiting)
    }
  }

  private func take(_ made: PictureCells?, for key: Key, _ asked: [Invalidation]) {
    isMaking = false
    var panes = asked
    if let index = wishes.firstIndex(where: { $0.key == key }) {
      panes = wishes.remove(at: index).waiting
    }
    if let made {
      signs[key] = made
      used.append(key)
      while used.count > Self.signLimit { signs[used.removeFirst()] = nil }
      for pane in panes { pane.raise() }
    } else {
      fail(key.file, telling: panes)
    }
    makeNext()
  }
}
