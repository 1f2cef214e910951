import Terminal
import Text
import ViewModels

/// The messages of the open conversation: the newest on the bottom row, or, scrolled up, one
/// message fixed at the top.
package final class TimelinePane: Pane {
  /// Indicates whether only text is shown, for selecting with the mouse.
  var isPlain = false { didSet { if isPlain != oldValue { viewModel.invalidation.raise() } } }
  /// Indicates whether the whole screen, not only this pane, is narrow.
  var isNarrow = false { didSet { if isNarrow != oldValue { viewModel.invalidation.raise() } } }

  /// The number of pages above the visible one that are loaded ahead.
  private static let pagesAhead = 3

  let viewModel: TimelineViewModel
  private let glyphs: Glyphs
  private let pictures: PictureBoard
  /// The text where no conversation is open.
  private let welcome: String
  /// The same where the list of conversations is empty.
  private let welcomeAlone: String
  /// Indicates whether the list of conversations is empty.
  var isListEmpty = false {
    didSet { if isListEmpty != oldValue { viewModel.invalidation.raise() } }
  }
  private var cache = LineCache()
  private(set) var size = Size(rows: 0, columns: 0)
  /// Rows that the user scrolled up beyond the loaded messages; they are scrolled when the next
  /// page has arrived.
  private var owed = 0

  package init(
    viewModel: TimelineViewModel, glyphs: Glyphs, pictures: PictureBoard = PictureBoard(),
    welcome: String, welcomeAlone: String? = nil
  ) {
    self.pictures = pictures
    self.viewModel = viewModel
    self.glyphs = glyphs
    self.welcome = welcome
    self.welcomeAlone = welcomeAlone ?? welcome
    viewModel.onPage = { [weak self] hasCome in self?.finishScroll(hasCome) }
  }

  package var invalidation: Invalidation { viewModel.invalidation }

  package func draw(into surface: inout Surface) {
    size = surface.size
    guard viewModel.conversation != nil else { return drawWelcome(into: &surface) }
    surface.cursor = Point(row: max(0, size.rows - 1), column: 0)
    if pictures.means.drawsAny { viewModel.lookForPictures() }
    followEndWithMatch()
    var position = top
    var row = position.blanks
    let items = viewModel.items
    let first = position.index
    while row < size.rows, position.index < items.count {
      let start = row
      let rows = cache.rows(of: items[position.index], in: layout).dropFirst(position.line)
        .prefix(size.rows - row)
      drawPicture(in: rows, from: row, into: &surface)
      // The cursor is on the selected message, where a screen reader reads.
      if items[position.index].isSelected { surface.cursor = Point(row: row, column: 0) }
      for line in rows {
        for piece in line.pieces {
          // The layout has already put the text into visual order.
          let end = surface.writeAsIs(
            piece.text, row: row, column: piece.column, role: piece.role)
          if let link = piece.link {
            surface.position(link, row: row, columns: piece.column..<max(piece.column, end))
          }
        }
        row += 1
      }
      drawLinkHints(
        on: items[position.index], rows: position.line..<position.line + rows.count, from: start,
        into: &surface)
      (position.index, position.line) = (position.index + 1, 0)
    }
    viewModel.drew(items[min(first, items.count)..<position.index])
  }

  /// Draws the part of a picture that is among the rows of an item.
  private func drawPicture(
    in rows: ArraySlice<TimelineRow>, from row: Int, into surface: inout Surface
  ) {
    guard let start = rows.firstIndex(where: { $0.picture != nil }),
      let first = rows[start].picture
    else { return }
    let count = rows[start...].prefix { $0.picture != nil }.count
    pictures.draw(
      first.file, size: first.size, rows: first.row..<first.row + count,
      at: Point(row: row + start - rows.startIndex, column: first.column), for: invalidation,
      into: &surface)
  }

  private func drawWelcome(into surface: inout Surface) {
    let lines = LineWrap.rows(
      of: isListEmpty ? welcomeAlone : welcome, width: max(1, size.columns - 4))
    let first = glyphs.isLinear ? 0 : max(0, (size.rows - lines.count) / 2)
    for (offset, line) in lines.enumerated() {
      surface.write(
        line, row: first + offset,
        column: glyphs.isLinear ? 0 : max(0, (size.columns - line.columns) / 2), role: .dim)
    }
  }

  // MARK: Scrolling

  /// Scrolls by rows; up is negative.
  func scroll(by rows: Int) {
    guard size.rows > 0, viewModel.conversation != nil else { return }
    var position = top
    // Loads well ahead: a page from the archive takes a moment.
    let reserve = size.rows * Self.pagesAhead
    owed = 0
    if rows < 0 {
      let start = position
      var missing = -rows - move(&position, up: -rows)
      if let hole = awaitedHole, hole <= start.index, position.index < hole {
        missing += self.rows(from: position, to: hole)
        position = Position(index: hole)
      }
      if rowsAbove(position, limit: reserve) < reserve { viewModel.loadOlder() }
      if viewModel.isReadingHistory { owed = missing }
    } else {
      guard viewModel.anchor != nil else { return }
      move(&position, down: rows)
      if viewModel.hasNewer, rowsBelow(position, limit: reserve) < reserve { viewModel.loadNewer() }
    }
    settle(position)
  }

  private func finishScroll(_ hasCome: Bool) {
    let rows = owed
    owed = 0
    // Only if there are new rows to show: otherwise this would not end.
    guard hasCome, rows > 0, viewModel.anchor != nil, rowsAbove(top, limit: 1) > 0 else { return }
    scroll(by: -rows)
  }

  /// Scrolls by pages less two rows; up is negative.
  func scroll(pages: Int) { scroll(by: pages * max(1, size.rows - 2)) }

  func scrollToNewest() {
    owed = 0
    viewModel.jumpToNewest()
  }

  /// Goes to the oldest loaded message, and loads more.
  /// - Parameter goToFirst: goes to the first message of all; returns `false` if it cannot.
  /// - Returns: `false` if `goToFirst` went there.
  @discardableResult func scrollToOldest(unless goToFirst: () -> Bool = { false }) -> Bool {
    guard viewModel.conversation != nil else { return false }
    owed = 0
    guard !goToFirst() else { return false }
    viewModel.loadOlder()
    settle(Position())
    return true
  }

  package func handle(_ mouse: MouseEvent) -> KeyDisposition {
    switch mouse.action {
    case .wheelUp: scroll(by: -3)
    case .wheelDown: scroll(by: 3)
    default: return .ignored
    }
    return .handled
  }

  /// A row of the list: an item, and a row of it; blank rows above if there are too few to fill the
  /// pane.
  struct Position {
    var index = 0
    var line = 0
    var blanks = 0
  }

  var layout: TimelineLayout {
    let form: TimelineLayout.Form =
      isPlain
      ? .plain : glyphs.isLinear ? .linear : isNarrow || size.columns < 40 ? .narrow : .columns
    // Names are shortened before the text becomes too narrow to read.
    let senderWidth = min(viewModel.senderWidth, max(3, size.columns / 6))
    return TimelineLayout(
      width: size.columns, form: form, timeWidth: viewModel.timeWidth, senderWidth: senderWidth,
      glyphs: glyphs, pictures: pictures.sizes)
  }

  func height(_ index: Int) -> Int {
    cache.rows(of: viewModel.items[index], in: layout).count
  }

  /// The position of the pane's first row.
  var top: Position {
    guard let anchor = viewModel.anchor,
      let index = viewModel.items.firstIndex(where: { $0.id == .message(anchor.message) })
    else { return bottom }
    var position = Position(index: index, line: 0)
    if anchor.line < 0 {
      move(&position, up: -anchor.line)
    } else {
      position.line = min(anchor.line, max(0, height(index) - 1))
    }
    return fills(from: position) ? position : bottom
  }

  /// The position that puts the newest row at the bottom.
  private var bottom: Position {
    var position = Position(index: viewModel.items.count)
    let missing = size.rows - move(&position, up: size.rows)
    position.blanks = max(0, missing)
    return position
  }

  private func fills(from position: Position) -> Bool {
    var rows = -position.line
    for index in position.index..<viewModel.items.count {
      rows += height(index)
      if rows >= size.rows { return true }
    }
    return false
  }

  /// - Returns: the number of rows that it moved.
  @discardableResult private func move(_ position: inout Position, up rows: Int) -> Int {
    position.blanks = 0
    var left = rows
    while left > 0 {
      if position.line > 0 {
        let step = min(left, position.line)
        position.line -= step
        left -= step
      } else if position.index > 0 {
        position.index -= 1
        position.line = height(position.index)
      } else {
        break
      }
    }
    return rows - left
  }

  private func move(_ position: inout Position, down rows: Int) {
    position.blanks = 0
    position.line += rows
    while position.index < viewModel.items.count, position.line >= height(position.index) {
      position.line -= height(position.index)
      position.index += 1
    }
  }

  private func rowsAbove(_ position: Position, limit: Int) -> Int {
    var position = position
    return move(&position, up: limit)
  }

  /// The rows below the page that begins there, or `limit` if there are more.
  private func rowsBelow(_ position: Position, limit: Int) -> Int {
    var position = position
    move(&position, down: size.rows)
    var rows = -position.line
    while position.index < viewModel.items.count, rows < limit {
      rows += height(position.index)
      position.index += 1
    }
    return min(rows, limit)
  }

  /// The rows from a position to the first one of a later item.
  private func rows(from position: Position, to index: Int) -> Int {
    (position.index..<index).reduce(-position.line) { $0 + height($1) }
  }

  private var awaitedHole: Int? {
    guard let hole = viewModel.awaitedHole else { return nil }
    return viewModel.items.firstIndex { $0.id == hole }
  }

  /// Follows the end again where the message that was gone to, such as a match, is on the last
  /// page: all of the messages from it on are in sight, and new ones have to be, too.
  private func followEndWithMatch() {
    guard let anchor = viewModel.anchor, !viewModel.hasNewer,
      let index = viewModel.items.lastIndex(where: { $0.id == .message(anchor.message) }),
      viewModel.items[index].isMarked, !fills(from: Position(index: index))
    else { return }
    viewModel.scroll(to: nil)
  }

  /// Fixes `position` at the top, or follows the end if it is that far down.
  private func settle(_ position: Position) {
    var position = position
    let items = viewModel.items
    let end = bottom
    if !fills(from: position) || (position.index, position.line) >= (end.index, end.line) {
      // The last loaded message may not be the last of the conversation.
      guard viewModel.hasNewer, end.blanks == 0 else { return viewModel.scroll(to: nil) }
      viewModel.loadNewer()
      position = end
    }
    var line = position.line
    for index in position.index..<items.count {
      if case .message(let id) = items[index].id {
        return viewModel.scroll(to: .init(message: id, line: line))
      }
      line -= height(index)
    }
  }
}
