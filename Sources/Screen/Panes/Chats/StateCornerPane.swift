import Keys
import Terminal
import ViewModels

/// The account's connection state and the unread count, in the corner of a screen that has no row
/// for the tabs (interface.md, "Layout"): these two are always visible.
package final class StateCornerPane: Pane {
  private let viewModel: TabBarViewModel

  package init(viewModel: TabBarViewModel) { self.viewModel = viewModel }

  package var invalidation: Invalidation { viewModel.invalidation }

  /// Its frame on a screen with `columns`: at the right end of the first row, with a blank before
  /// it.
  package func frame(columns: Int) -> Rect {
    let width = min(columns, text.columns + 1)
    return Rect(row: 0, column: columns - width, rows: 1, columns: width)
  }

  package func draw(into surface: inout Surface) {
    surface.write(text, row: 0, column: 1)
  }

  private var text: StyledText {
    let unread = viewModel.items.first { $0.id == .chats }?.badge ?? ""
    return viewModel.unreadElsewhere
      + (unread.isEmpty ? StyledText("", .tab) : StyledText(unread + " ", .badge))
      + StyledText(viewModel.glyph, .presence(viewModel.availability))
  }
}

extension TabBarViewModel {
  /// The unread count of the other accounts.
  var unreadElsewhere: StyledText {
    elsewhere.isEmpty
      ? StyledText("", .tab) : StyledText("+" + elsewhere, .badge) + StyledText(" ", .tab)
  }
}
