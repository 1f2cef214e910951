import Terminal
import ViewModels

/// The bottom row: the keys of the pane with the focus, as many as there is room for.
package final class HintBarPane: Pane {
  private let viewModel: HintBarViewModel
  /// Where its keys stand: a click on one is the key.
  private(set) var hintLine = HintLine()

  package init(viewModel: HintBarViewModel) { self.viewModel = viewModel }

  package var invalidation: Invalidation { viewModel.invalidation }

  package func draw(into surface: inout Surface) {
    var column = 0
    hintLine.clear()
    for item in viewModel.items {
      let width = item.keys.columns + 1 + item.label.columns
      guard column + width <= surface.size.columns else { return }
      hintLine.add(item.keys, row: 0, column: column, more: 1 + item.label.columns)
      let end = surface.write(item.keys, row: 0, column: column, role: .key)
      column = surface.write(item.label, row: 0, column: end + 1, role: .dim) + 2
    }
  }
}
