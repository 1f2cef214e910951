import Keys
import NatterCore
import Terminal
import Text
import ViewModels

/// Discover: the row of pages, the filter, the cards, and details of the selected one below them.
package final class CardListPane: SubAppPane {
  package var isPage = true {
    didSet { if isPage != oldValue { viewModel.invalidation.raise() } }
  }
  package var isFocused: Bool {
    get { viewModel.isFocused }
    set { viewModel.isFocused = newValue }
  }

  private let viewModel: DiscoverViewModel
  private let frame: ShellFrame
  private let accent: StyleRole
  private var scrolls: [String: ListScroll] = [:]
  /// Positions of the last drawing, for the mouse.
  private var tabColumns: [(id: String, columns: Range<Int>)] = []
  private var firstCardRow = 0
  private var cardRows = 0

  package init(viewModel: DiscoverViewModel, frame: ShellFrame, accent: StyleRole) {
    self.viewModel = viewModel
    self.frame = frame
    self.accent = accent
  }

  package var invalidation: Invalidation { viewModel.invalidation }

  package func restore(from other: any SubAppPane) {
    guard let other = other as? CardListPane else { return }
    viewModel.restore(from: other.viewModel)
    scrolls = other.scrolls
  }

  private var rows: FilteredRows<String> { viewModel.page.rows }

  package var hintedActions: Set<KeyAction>? {
    var hinted: Set<KeyAction> = [.open, .selectNext, .filter]
    if viewModel.tabs.count > 1 { hinted.insert(.valueAfter) }
    for (action, key) in Self.keys where viewModel.page.actions.contains(action) {
      hinted.insert(key)
    }
    return hinted
  }

  package var hintKeys: [KeyAction: String] {
    let names = viewModel.page.hintKeys
    var keys = Dictionary(
      uniqueKeysWithValues: Self.keys.compactMap { action, key in names[action].map { (key, $0) } })
    keys[.valueAfter] = "discover.pageHint"
    return keys
  }

  private static let keys: [(CardAction, KeyAction)] = [
    (.open, .open), (.add, .add), (.remove, .remove), (.rename, .rename), (.toggle, .toggle),
    (.sort, .sort), (.refresh, .refresh),
  ]
  /// The actions of all its pages together.
  static let actions = Set(keys.map(\.1)).union([.valueAfter, .valueBefore, .filter])

  // MARK: - Drawing

  package func draw(into surface: inout Surface) {
    let size = surface.size
    let page = viewModel.page
    drawTabs(page, into: &surface)
    drawFilter(page, into: &surface)
    var top = 2
    if size.rows >= 8 {
      drawRule(row: top, into: &surface)
      top += 1
    }
    let summary = summaryLines(page, size)
    var bottom = size.rows
    if !summary.isEmpty {
      bottom -= summary.count + 1
      drawRule(row: bottom, into: &surface)
      for (offset, line) in summary.enumerated() {
        surface.write(
          line, row: bottom + 1 + offset, column: 1, role: offset == 0 ? .strong : .plain,
          limit: size.columns - 2)
      }
    }
    var left = 0
    if !frame.glyphs.isLinear, let month = page.month {
      let grid = MonthGrid(month, frame.glyphs)
      if size.columns >= 60 {
        // Beside the cards, or above them where there is no room for both.
        left = grid.columns
        grid.draw(into: &surface, row: top, rows: bottom - top)
      } else if bottom - top >= grid.rows + 3 {
        top += grid.draw(into: &surface, row: top, rows: bottom - top)
      }
    }
    drawList(page, rows: top..<max(top, bottom), left: left, into: &surface)
  }

  private func drawList(
    _ page: any CardPage, rows range: Range<Int>, left: Int, into surface: inout Surface
  ) {
    let columns = surface.size.columns - left
    var part = Surface(
      size: Size(rows: range.count, columns: columns), look: surface.look)
    let layout = CardLayout(columns: columns)
    var top = 0
    if layout.hasHeadings, !frame.glyphs.isLinear, surface.size.rows >= 12, rows.shown.count > 0 {
      drawCard(page.headings, layout, row: 0, role: .dim, into: &part)
      top = 1
    }
    firstCardRow = range.lowerBound + top
    cardRows = max(0, range.count - top)
    drawCards(page, layout, first: top, into: &part)
    surface.copy(part, row: range.lowerBound, column: left)
    if let cursor = part.cursor {
      surface.cursor = Point(row: cursor.row + range.lowerBound, column: cursor.column + left)
    }
  }

  private func drawTabs(_ page: any CardPage, into surface: inout Surface) {
    let columns = surface.size.columns
    tabColumns = []
    let mark = frame.glyphs.ellipsis
    let tabs = viewModel.tabs
    let shown = visibleTabs(columns - 1)
    var column = 1
    // An ellipsis replaces the pages that do not fit; a click on it goes to the next of them.
    if shown.startIndex > 0 {
      surface.write(mark, row: 0, column: 0, role: .dim)
      tabColumns.append((tabs[shown.startIndex - 1].id, 0..<1))
    }
    for index in shown.indices {
      let tab = shown[index]
      let text = tab.isOpen ? "[\(tab.title)]" : " \(tab.title) "
      let end = surface.write(text, row: 0, column: column, role: tab.isOpen ? accent : .dim)
      tabColumns.append((tab.id, column..<end))
      column = end
    }
    if shown.endIndex < tabs.count {
      let end = surface.write(mark, row: 0, column: min(column, columns - 1), role: .dim)
      tabColumns.append((tabs[shown.endIndex].id, end - 1..<end))
      column = end
    }
    let room = columns - column - 3
    guard room >= 8 else { return }
    let text = page.headline.truncated(columns: room, mark: frame.glyphs.ellipsis)
    surface.write(
      text, row: 0, column: frame.glyphs.isLinear ? column + 1 : columns - 1 - text.columns,
      role: .dim)
  }

  /// The pages that fit, including the open one.
  private func visibleTabs(_ columns: Int) -> ArraySlice<CardTab> {
    var tabs = viewModel.tabs[...]
    func width(_ tabs: ArraySlice<CardTab>) -> Int {
      tabs.reduce(0) { $0 + $1.title.columns + 2 }
    }
    while let open = tabs.firstIndex(where: \.isOpen), open > tabs.startIndex,
      width(tabs[...open]) > columns
    {
      tabs.removeFirst()
    }
    while tabs.count > 1, width(tabs) > columns - (tabs.endIndex < viewModel.tabs.count ? 1 : 0) {
      tabs.removeLast()
    }
    return tabs
  }

  private func drawFilter(_ page: any CardPage, into surface: inout Surface) {
    let columns = surface.size.columns
    // On a narrow screen only the number: the list is more important.
    let count = columns < 60 ? "\(rows.shown.count)" : page.count
    let room = max(0, columns - 4 - count.columns)
    let label = frame.filterLabel
    var lineEnd = 1
    if let filter = rows.filter {
      let start = surface.write(label, row: 1, column: 1, role: .dim)
      var typed = Substring(filter)
      while typed.columns > max(1, room - label.columns), !typed.isEmpty { typed.removeFirst() }
      let end = surface.write(String(typed), row: 1, column: start, role: .input)
      surface.cursor = Point(row: 1, column: min(end, columns - 1))
      lineEnd = end
    } else {
      lineEnd = surface.write(
        frame.localizer("contacts.filterHint").truncated(
          columns: room, mark: frame.glyphs.ellipsis), row: 1, column: 1, role: .placeholder)
    }
    surface.write(
      count, row: 1,
      column: frame.glyphs.isLinear ? lineEnd + 2 : max(1, columns - 1 - count.columns),
      role: .dim)
  }

  private func drawRule(row: Int, into surface: inout Surface) {
    surface.write(
      String(repeating: frame.glyphs.horizontal, count: surface.size.columns), row: row, column: 0,
      role: .border)
  }

  /// At most a quarter of the screen, and none where the list has no room.
  private func summaryLines(_ page: any CardPage, _ size: Size) -> [String] {
    guard size.rows >= 12 else { return [] }
    let wrapped = page.summary.flatMap {
      LineWrap.rows(of: $0, width: max(8, size.columns - 2)).prefix(3).map(String.init)
    }
    return Array(wrapped.prefix(max(1, size.rows / 4)))
  }

  private func drawCards(
    _ page: any CardPage, _ layout: CardLayout, first: Int, into surface: inout Surface
  ) {
    let shown = rows.shown
    guard !shown.isEmpty else {
      let lines = LineWrap.rows(of: page.emptyText, width: max(8, surface.size.columns - 4))
      for (offset, line) in lines.prefix(cardRows).enumerated() {
        surface.write(String(line), row: first + offset, column: 2, role: .dim)
      }
      if rows.filter == nil { surface.cursor = Point(row: first, column: 0) }
      return
    }
    var scroll = scrolls[page.id] ?? ListScroll()
    scroll.show(rows.selectedRow, of: shown.count, rows: cardRows)
    scrolls[page.id] = scroll
    for (offset, index) in shown.dropFirst(scroll.top).prefix(cardRows).enumerated() {
      let row = first + offset
      drawCard(page.card(index), layout, row: row, role: .plain, into: &surface)
      guard scroll.top + offset == rows.selectedRow else { continue }
      surface.write(frame.glyphs.marker, row: row, column: 0, role: .strong)
      if isFocused {
        surface.restyle(
          Rect(row: row, column: 0, rows: 1, columns: surface.size.columns), role: .selection)
      }
      if rows.filter == nil { surface.cursor = Point(row: row, column: 0) }
    }
  }

  private func drawCard(
    _ card: CardItem, _ layout: CardLayout, row: Int, role: StyleRole, into surface: inout Surface
  ) {
    let mark = frame.glyphs.ellipsis
    let dim = role == .plain ? StyleRole.dim : role
    if frame.glyphs.isLinear {
      surface.writeLinear(
        [
          (card.title, role), (card.spokenNumber, role), (card.spokenGlyph, .statusOK),
          (card.note, dim), (card.tag, dim), (card.text, dim),
        ], row: row, column: 2, limit: surface.size.columns - 3, kept: 5, mark: mark)
      return
    }
    surface.write(card.glyph, row: row, column: 1, role: .statusOK, limit: 1)
    surface.write(
      card.title.truncated(columns: layout.title.count, mark: mark), row: row,
      column: layout.title.lowerBound, role: role == .plain && card.isStrong ? .strong : role)
    let number = card.number.truncated(columns: layout.number.count)
    surface.write(number, row: row, column: layout.number.upperBound - number.columns, role: role)
    surface.write(
      card.tag.truncated(columns: layout.tag.count), row: row, column: layout.tag.lowerBound,
      role: dim)
    surface.write(
      card.note.truncated(columns: layout.note.count, mark: mark), row: row,
      column: layout.note.lowerBound, role: dim)
    surface.write(
      card.text.truncated(columns: layout.text.count, mark: mark), row: row,
      column: layout.text.lowerBound, role: dim)
  }

  // MARK: - Input

  package var acceptedActions: Set<KeyAction>? {
    .moves.union([.valueAfter, .valueBefore, .filter])
      .union(Self.keys.filter { viewModel.page.actions.contains($0.0) }.map(\.1))
  }
  package var keyTexts: String { viewModel.page.id }
  package func takesFirst(_ key: Key) -> Bool { rows.take(key, by: frame.bindings) }

  package func handlePaste(_ text: String) -> KeyDisposition { rows.takePaste(text) }

  package func perform(_ action: KeyAction) -> KeyDisposition {
    if rows.move(action, page: cardRows) { return .handled }
    switch action {
    case .valueAfter: viewModel.turn(1)
    case .valueBefore: viewModel.turn(-1)
    case .filter: rows.beginFilter()
    case .cancel: return rows.endFilter() ? .handled : .ignored
    default:
      guard let own = Self.keys.first(where: { $0.1 == action })?.0,
        viewModel.page.actions.contains(own)
      else { return .ignored }
      viewModel.page.perform(own)
    }
    return .handled
  }

  package func handle(_ mouse: MouseEvent) -> KeyDisposition {
    if rows.move(mouse) { return .handled }
    guard mouse.action == .press, mouse.button == 1 else { return .ignored }
    if mouse.at.row == 0 {
      guard let tab = tabColumns.first(where: { $0.columns.contains(mouse.at.column) }) else {
        return .ignored
      }
      viewModel.open(tab: tab.id)
      return .handled
    }
    let offset = mouse.at.row - firstCardRow
    let row = (scrolls[viewModel.page.id]?.top ?? 0) + offset
    guard (0..<cardRows).contains(offset), rows.shown.indices.contains(row) else {
      return .ignored
    }
    // The first click selects, the second one opens.
    if row == rows.selectedRow { viewModel.page.perform(.open) } else { rows.select(row: row) }
    return .handled
  }
}

/// The columns of the parts of a card, for a screen width.
struct CardLayout {
  let title: Range<Int>
  let number: Range<Int>
  let tag: Range<Int>
  let note: Range<Int>
  let text: Range<Int>
  /// Indicates whether there is room for headings above the columns.
  let hasHeadings: Bool

  init(columns: Int) {
    hasHeadings = columns >= 60
    let widths: (title: Int, number: Int, tag: Int, note: Int) =
      columns >= 100 ? (30, 6, 4, 10) : columns >= 72 ? (20, 6, 4, 10) : (16, 5, 2, 0)
    var start = 3
    func next(_ width: Int, gap: Int) -> Range<Int> {
      // Nothing is drawn beyond the edge.
      let first = min(start, columns)
      let range = first..<min(columns, first + width)
      start = range.upperBound + gap
      return range
    }
    title = next(widths.title, gap: 1)
    number = next(widths.number, gap: 1)
    tag = next(widths.tag, gap: 1)
    note = next(widths.note, gap: widths.note == 0 ? 0 : 1)
    text = next(max(0, columns - start - 1), gap: 0)
  }
}
