import Terminal
import ViewModels

/// The bottom row: the key hints of the pane with the focus, as many as fit.
package final class HintBarPane: Pane {
  private let viewModel: HintBarViewModel
  /// The number of columns up to which gaps are narrowed, rather than drop a hint for so little.
  private static let leeway = 3
  /// The positions of its keys: a click on one presses the key.
  private(set) var hintLine = HintLine()

  package init(viewModel: HintBarViewModel) { self.viewModel = viewModel }

  package var invalidation: Invalidation { viewModel.invalidation }

  package func draw(into surface: inout Surface) {
    let columns = surface.size.columns
    var items = viewModel.items
    if Self.width(items) > columns { items = items.filter { !$0.isExtra } }
    // If a few columns are missing, the gaps at the end are narrower.
    let missing = Self.width(items) - columns
    let narrowGaps = (1...Self.leeway).contains(missing) && missing < items.count ? missing : 0
    var column = 0
    hintLine.clear()
    for (position, item) in items.enumerated() {
      guard column + Self.width(item) <= columns else { return }
      hintLine.add(item.keys, row: 0, column: column, more: 1 + item.label.columns)
      let end = surface.write(item.keys, row: 0, column: column, role: .key)
      column = surface.write(item.label, row: 0, column: end + 1, role: .dim)
      column += position < items.count - 1 - narrowGaps ? 2 : 1
    }
  }

  private static func width(_ item: HintItem) -> Int { item.keys.columns + 1 + item.label.columns }

  private static func width(_ items: [HintItem]) -> Int {
    items.reduce(max(0, items.count - 1) * 2) { $0 + width($1) }
  }
}
