import Keys
import Terminal
import Text
import ViewModels

/// The line of a contact request above the input of its conversation: the sender, and the answers
/// as buttons.
package final class RequestPane: Pane {
  private let viewModel: RequestLineViewModel
  private let glyphs: Glyphs
  /// The columns of the buttons: a click on one gives its answer.
  private var buttons: [(answer: RequestLineViewModel.Answer, columns: Range<Int>)] = []

  init(viewModel: RequestLineViewModel, glyphs: Glyphs) {
    (self.viewModel, self.glyphs) = (viewModel, glyphs)
  }

  package var invalidation: Invalidation { viewModel.invalidation }

  /// Indicates whether there is a request to show.
  var isNeeded: Bool { viewModel.asker != nil }

  var isFocused: Bool {
    get { viewModel.isFocused }
    set { viewModel.isFocused = newValue }
  }

  package func draw(into surface: inout Surface) {
    let width = surface.size.columns
    surface.fill(Rect(row: 0, column: 0, rows: 1, columns: width), role: .statusInfo)
    let marker = viewModel.isFocused ? glyphs.marker : " "
    let labels = RequestLineViewModel.Answer.allCases.map { ($0, "[\(viewModel.label(of: $0))]") }
    // The buttons stay whole: the text before them is shortened.
    let needed = labels.reduce(0) { $0 + $1.1.columns + 1 }
    let start = marker.columns
    surface.write(marker, row: 0, column: 0, role: .heading)
    var column = surface.write(
      text(columns: max(0, width - start - needed - 1)), row: 0, column: start, role: .statusInfo)
    buttons = []
    for (answer, label) in labels {
      let begin = column + 1
      guard begin + label.columns <= width else { break }
      let isSelected = viewModel.isFocused && answer == viewModel.selection
      column = surface.write(label, row: 0, column: begin, role: isSelected ? .selection : .key)
      buttons.append((answer, begin..<column))
    }
    let hint = viewModel.hint
    if column + 2 + hint.columns < width {
      surface.write(hint, row: 0, column: column + 2, role: .dim)
    }
  }

  /// The least of a name that identifies the requester, in columns. The title of the conversation
  /// has all of it.
  private static let leastName = 5

  /// Returns the longest text that fits. The name is shortened rather than the request.
  private func text(columns: Int) -> String {
    let name = viewModel.name
    let least = min(name.columns, Self.leastName)
    for length in RequestLineViewModel.Length.allCases {
      let room = columns - viewModel.text(length, name: "").columns
      // The name is cut only where no text shows all of it.
      let needed = length == .brief ? least : name.columns
      guard room >= needed || length == .nameless else { continue }
      let shown = name.truncated(columns: max(0, room), mark: glyphs.ellipsis)
      return viewModel.text(length, name: shown)
        .truncated(columns: columns, mark: glyphs.ellipsis)
    }
    return ""
  }

  /// Performs the actions of list keys.
  /// - Returns: whether the action applies here.
  func perform(_ action: KeyAction) -> Bool {
    switch action {
    case .open: viewModel.give()
    case .remove: viewModel.give(.decline)
    case .valueBefore, .selectPrevious: viewModel.moveSelection(-1)
    case .valueAfter, .selectNext: viewModel.moveSelection(1)
    default: return false
    }
    return true
  }

  package func handle(_ mouse: MouseEvent) -> KeyDisposition {
    guard mouse.action == .press, mouse.button == 1,
      let hit = buttons.first(where: { $0.columns.contains(mouse.at.column) })
    else { return .ignored }
    viewModel.give(hit.answer)
    return .handled
  }

  /// The actions that it performs.
  static let actions: Set<KeyAction> = [
    .open, .remove, .valueBefore, .valueAfter, .selectPrevious, .selectNext,
  ]
}
