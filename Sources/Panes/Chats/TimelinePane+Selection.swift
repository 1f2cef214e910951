import NatterCore
import Terminal
import ViewModels

/// Which message is chosen, and what stands where.
extension TimelinePane {
  /// What is at a place of the pane.
  enum Target: Equatable {
    case link(String)
    case message(Message.ID)
  }

  /// Chooses the message below (`1`) or above (`-1`) the chosen one; where that is out of sight, the one nearest that is not.
  func moveSelection(_ step: Int) {
    let items = viewModel.items
    guard size.rows > 0, let selected = viewModel.selected,
      let current = items.firstIndex(where: { $0.id == .message(selected) }),
      case let start = row(of: current), start < size.rows, start + height(current) > 0
    else { return selectShown(step < 0 ? .last : .first) }
    // A message that is taller than the pane is read before it is left.
    if step < 0, start < 0 { return scroll(by: -1) }
    if step > 0, start + height(current) > size.rows { return scroll(by: 1) }
    var index = current + step
    while items.indices.contains(index), !items[index].id.isMessage { index += step }
    guard items.indices.contains(index) else { return scroll(by: step) }
    select(index, in: items)
    show(index)
  }

  /// Scrolls the preformatted lines of the chosen message sideways.
  func scrollCode(by columns: Int) {
    guard let selected = viewModel.selected,
      let item = viewModel.items.first(where: { $0.id == .message(selected) })
    else { return }
    viewModel.scrollCode(
      to: max(0, min(item.codeOffset + columns, layout.mostCodeOffset(of: item))))
  }

  func selectOldest() {
    scrollToOldest()
    selectShown(.first)
  }

  func selectNewest() {
    scrollToNewest()
    selectShown()
  }

  enum Edge { case first, last }

  /// Chooses the last or the first message that is in sight.
  func selectShown(_ edge: Edge = .last) {
    let items = viewModel.items
    var indices: [Int] = []
    var place = top
    var row = place.blanks
    while row < max(1, size.rows), place.index < items.count {
      if items[place.index].id.isMessage { indices.append(place.index) }
      row += height(place.index) - place.line
      place.line = 0
      place.index += 1
    }
    if let index = edge == .last ? indices.last : indices.first { select(index, in: items) }
  }

  private func select(_ index: Int, in items: [TimelineItem]) {
    if case .message(let id) = items[index].id { viewModel.select(id) }
  }

  /// Scrolls as far as it takes to have an item in sight; of one that is taller than the pane, the part that comes first.
  private func show(_ index: Int) {
    let start = row(of: index)
    let end = start + height(index)
    if start < 0 {
      scroll(by: min(0, max(start, end - size.rows)))
    } else if end > size.rows {
      scroll(by: min(start, end - size.rows))
    }
  }

  /// The row of an item's first line, from the top of the pane: it may be above or below it.
  private func row(of index: Int) -> Int {
    let top = top
    if index >= top.index {
      return top.blanks - top.line + (top.index..<index).reduce(0) { $0 + height($1) }
    }
    return -top.line - (index..<top.index).reduce(0) { $0 + height($1) }
  }

  // MARK: The mouse

  /// What is at a place of the pane; `nil`: nothing that anything can be done with.
  func target(at point: Point) -> Target? {
    let items = viewModel.items
    var place = top
    var row = point.row - place.blanks + place.line
    while row >= 0, place.index < items.count, row >= height(place.index) {
      row -= height(place.index)
      place.index += 1
    }
    guard row >= 0, place.index < items.count, case .message(let id) = items[place.index].id else {
      return nil
    }
    return link(of: items[place.index], row: row, column: point.column).map { .link($0) }
      ?? .message(id)
  }

  /// The link of an item that has a part at a place: it may go on over some rows.
  private func link(of item: TimelineItem, row: Int, column: Int) -> String? {
    parts(ofLinksIn: item).first {
      $0.row == row && ($0.column..<$0.column + $0.columns).contains(column)
    }?.link
  }
}

extension TimelineItem.ID {
  /// Whether it is of a message, and not of a line of Natter's own.
  nonisolated fileprivate var isMessage: Bool {
    if case .message = self { true } else { false }
  }
}
