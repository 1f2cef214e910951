import NatterCore
import Terminal
import ViewModels

/// The selection of messages, and the items at points of the pane.
extension TimelinePane {
  /// The item at a point of the pane.
  enum Target: Equatable {
    case link(String)
    case message(Message.ID)
  }

  /// Selects the message below (`1`) or above (`-1`) the selected one; if that is not visible, the
  /// nearest visible one.
  func moveSelection(_ step: Int) {
    let items = viewModel.items
    guard size.rows > 0, let selected = viewModel.selected,
      let current = items.firstIndex(where: { $0.id == .message(selected) }),
      case let start = row(of: current), start < size.rows, start + height(current) > 0
    else { return selectShown(step < 0 ? .last : .first) }
    // A message that is taller than the pane is scrolled to its end before the selection moves.
    if step < 0, start < 0 { return scroll(by: -1) }
    if step > 0, start + height(current) > size.rows { return scroll(by: 1) }
    var index = current + step
    while items.indices.contains(index), !items[index].id.isMessage { index += step }
    guard items.indices.contains(index) else { return scroll(by: step) }
    select(index, in: items)
    show(index)
  }

  /// Scrolls the preformatted lines of the selected message sideways.
  func scrollCode(by columns: Int) {
    guard let selected = viewModel.selected,
      let item = viewModel.items.first(where: { $0.id == .message(selected) })
    else { return }
    viewModel.scrollCode(
      to: max(0, min(item.codeOffset + columns, layout.mostCodeOffset(of: item))))
  }

  /// The same as `scrollToOldest`, for the selection.
  func selectOldest(unless goToFirst: () -> Bool) {
    if scrollToOldest(unless: goToFirst) { selectShown(.first) }
  }

  func selectNewest() {
    scrollToNewest()
    selectShown()
  }

  enum Edge { case first, last }

  /// Selects the last or the first visible message.
  func selectShown(_ edge: Edge = .last) {
    let items = viewModel.items
    var indices: [Int] = []
    var position = top
    var row = position.blanks
    while row < max(1, size.rows), position.index < items.count {
      if items[position.index].id.isMessage { indices.append(position.index) }
      row += height(position.index) - position.line
      position.line = 0
      position.index += 1
    }
    if let index = edge == .last ? indices.last : indices.first { select(index, in: items) }
  }

  private func select(_ index: Int, in items: [TimelineItem]) {
    if case .message(let id) = items[index].id { viewModel.select(id) }
  }

  /// Scrolls as far as needed to show an item; for one that is taller than the pane, the part that
  /// comes first.
  private func show(_ index: Int) {
    let start = row(of: index)
    let end = start + height(index)
    if start < 0 {
      scroll(by: min(0, max(start, end - size.rows)))
    } else if end > size.rows {
      scroll(by: min(start, end - size.rows))
    }
  }

  /// The row of an item's first line, from the top of the pane; it may be above or below the pane.
  private func row(of index: Int) -> Int {
    let top = top
    if index >= top.index {
      return top.blanks - top.line + (top.index..<index).reduce(0) { $0 + height($1) }
    }
    return -top.line - (index..<top.index).reduce(0) { $0 + height($1) }
  }

  // MARK: The mouse

  /// The item at a point of the pane; `nil`: nothing that can be opened or selected.
  func target(at point: Point) -> Target? {
    let items = viewModel.items
    var position = top
    var row = point.row - position.blanks + position.line
    while row >= 0, position.index < items.count, row >= height(position.index) {
      row -= height(position.index)
      position.index += 1
    }
    guard row >= 0, position.index < items.count, case .message(let id) = items[position.index].id
    else {
      return nil
    }
    return link(of: items[position.index], row: row, column: point.column).map { .link($0) }
      ?? .message(id)
  }

  /// The link of an item that has a part at a point: it may continue over some rows.
  private func link(of item: TimelineItem, row: Int, column: Int) -> String? {
    parts(ofLinksIn: item).first {
      $0.row == row && ($0.column..<$0.column + $0.columns).contains(column)
    }?.link
  }
}

extension TimelineItem.ID {
  /// Indicates whether it belongs to a message, rather than to a line of Natter itself.
  nonisolated fileprivate var isMessage: Bool {
    if case .message = self { true } else { false }
  }
}
