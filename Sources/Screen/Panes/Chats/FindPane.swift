import Keys
import Terminal
import Text
import ViewModels

/// The search for messages, at the lower edge of the screen: the messages stay visible, above the
/// list of matches where all conversations are searched.
package final class FindPane: OverlayPane {
  package var invalidation: Invalidation { viewModel.invalidation }
  package private(set) var isDismissed = false
  package var hintLine: HintLine { list.hintLine }

  private let viewModel: MessageSearch
  private var list: OverlayList
  private let glyphs: Glyphs
  private var isLinear: Bool { glyphs.isLinear }

  package var showsOthers: Bool { true }

  package init(viewModel: MessageSearch, glyphs: Glyphs) {
    self.viewModel = viewModel
    list = OverlayList(glyphs: glyphs)
    self.glyphs = glyphs
  }

  package func use(_ bindings: KeyBindingTable) { list.use(bindings) }

  package func preferredSize(in size: Size) -> Size {
    Size(
      rows: viewModel.everywhere == nil
        ? BoxFrame.leastRows : max(BoxFrame.leastRows, min(16, size.rows - 6)),
      columns: size.columns < 60
        ? size.columns : min(viewModel.everywhere == nil ? 72 : 100, size.columns - 8))
  }

  package func frame(in size: Size) -> Rect {
    if isLinear {
      // The title, the query, the number of matches, the list, the key hints.
      let rows = min(viewModel.everywhere == nil ? 4 : 16, size.rows)
      return Rect(row: size.rows - rows, column: 0, rows: rows, columns: size.columns)
    }
    let wanted = preferredSize(in: size)
    let rows = min(wanted.rows, size.rows)
    return Rect(
      row: max(0, size.rows - rows - 1), column: (size.columns - wanted.columns) / 2, rows: rows,
      columns: wanted.columns)
  }

  package func dismiss() { isDismissed = true }

  package func draw(into surface: inout Surface) {
    let inner = list.drawBox(
      viewModel, leastRows: 2, short: viewModel.hints(isNarrow: true), into: &surface)
    list.drawLine(
      viewModel, row: inner.origin.row, left: inner.origin.column, columns: inner.size.columns,
      status: viewModel.status, into: &surface)
    if let found = viewModel.everywhere { draw(found, below: inner, into: &surface) }
    surface.keepCursorInside()
  }

  private func draw(_ found: FoundMessages, below inner: Rect, into surface: inout Surface) {
    let gap = isLinear ? 2 : 1
    let (left, columns) = (inner.origin.column, inner.size.columns)
    let area = Rect(
      row: inner.origin.row + gap, column: left, rows: max(0, inner.size.rows - gap),
      columns: columns)
    let times = found.rows.map { time(of: $0, columns: columns - 2).columns }.max() ?? 0
    list.drawRows(viewModel, in: area, textColumn: isLinear ? 0 : 2, into: &surface) {
      index, row, surface in
      draw(
        found.rows[index], row: row, left: left + 2, columns: columns - 2, timeColumns: times,
        into: &surface)
    }
  }

  /// The time of a match in a row of so many columns, 12 columns at most; a narrow row has it in 7.
  private func time(of item: FoundMessages.Row, columns: Int) -> String {
    columns < 50 ? item.narrowTime : item.time.truncated(columns: 12, mark: glyphs.ellipsis)
  }

  /// Draws the time, the conversation, and the text after its sender, with the matches marked.
  private func draw(
    _ item: FoundMessages.Row, row: Int, left: Int, columns: Int, timeColumns: Int,
    into surface: inout Surface
  ) {
    if isLinear {
      let parts = [
        (item.conversation, StyleRole.overlay), (item.time, .dim), (item.sender, .dim),
        (item.text, .overlay),
      ]
      surface.writeLinear(parts, row: row, column: left, limit: columns, mark: glyphs.ellipsis)
      return
    }
    var pen = left
    let right = left + columns
    for (text, width, role) in [
      (time(of: item, columns: columns), timeColumns, StyleRole.dim),
      (item.conversation, min(20, columns / 4), .overlay),
    ] where width > 0 {
      surface.write(
        text.truncated(columns: width, mark: glyphs.ellipsis), row: row, column: pen, role: role,
        limit: width)
      pen += width + 1
    }
    var text = StyledText()
    // A narrow line has room for the match alone.
    if !item.sender.isEmpty, columns >= 50 { text.append(item.sender + ": ", .dim) }
    let characters = Array(item.text)
    var at = 0
    for range in item.ranges where range.upperBound <= characters.count {
      text.append(String(characters[at..<range.lowerBound]), .overlay)
      text.append(String(characters[range]), .searchMatch)
      at = range.upperBound
    }
    text.append(String(characters[at...]), .overlay)
    surface.write(text, row: row, column: pen, limit: max(0, right - pen))
  }

  package func handle(_ key: Key) -> KeyDisposition {
    switch (key.code, key.modifiers) {
    case _ where OverlayList.closes(key): isDismissed = true
    case (.tab, []): viewModel.changeScope()
    case _ where viewModel.everywhere != nil: return handleInList(key)
    case (.enter, []), (.up, []), (.character("p"), .control), (.character("f"), .control):
      viewModel.move(1)
    case (.down, []), (.character("n"), .control): viewModel.move(-1)
    default: return list.edit(key, in: viewModel)
    }
    return .handled
  }

  /// Handles a key while all conversations are searched.
  private func handleInList(_ key: Key) -> KeyDisposition {
    switch (key.code, key.modifiers) {
    case (.enter, []): open(viewModel.selection)
    default: return list.take(key, for: viewModel)
    }
    return .handled
  }

  private func open(_ row: Int?) {
    if let row, viewModel.open(row) { isDismissed = true }
  }

  package func handle(_ mouse: MouseEvent) -> KeyDisposition {
    guard viewModel.everywhere != nil else { return .handled }
    open(list.pressed(mouse, in: viewModel))
    return .handled
  }

  package func handlePaste(_ text: String) -> KeyDisposition { list.paste(text, into: viewModel) }
}
