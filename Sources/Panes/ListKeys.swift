import Terminal
import ViewModels

/// A list whose selection moves.
protocol ListMoving: AnyObject {
  /// Moves the selection by `step` rows; it stops at the ends.
  func moveSelection(_ step: Int)
}

extension ListMoving {
  /// Does what the keys of every list do to the selection.
  /// - Parameter page: how many rows are on the screen.
  /// - Returns: whether it was one of these.
  func move(_ action: KeyAction, page: Int) -> Bool {
    switch action {
    case .selectNext: moveSelection(1)
    case .selectPrevious: moveSelection(-1)
    case .selectFirst, .oldest: moveSelection(.min)
    case .selectLast, .newest: moveSelection(.max)
    case .pageDown: moveSelection(max(1, page - 2))
    case .pageUp: moveSelection(-max(1, page - 2))
    default: return false
    }
    return true
  }

  /// Does what the wheel does to every list.
  /// - Returns: whether it was the wheel.
  func move(_ mouse: MouseEvent) -> Bool {
    switch mouse.action {
    case .wheelUp: moveSelection(-1)
    case .wheelDown: moveSelection(1)
    default: return false
    }
    return true
  }
}

/// A list that is narrowed by typing.
protocol ListFiltering: AnyObject {
  /// What it is narrowed to; `nil` while nobody types.
  var filter: String? { get }
  func typeFilter(_ text: String)
  func shortenFilter()
  @discardableResult func endFilter() -> Bool
}

extension ListFiltering {
  /// Takes the keys that are typed into a filter, while there is one.
  /// - Returns: whether it took this one.
  func take(_ key: Key) -> Bool {
    guard filter != nil else { return false }
    switch (key.code, key.modifiers) {
    case (.character(let character), []): typeFilter(String(character))
    case (.backspace, []), (.character("h"), .control): shortenFilter()
    case (.escape, []), (.character("g"), .control), (.character("c"), .control): endFilter()
    default: return false
    }
    return true
  }

  /// Takes what is pasted into a filter, while there is one.
  func takePaste(_ text: String) -> KeyDisposition {
    guard filter != nil else { return .ignored }
    typeFilter(text)
    return .handled
  }
}

extension FilteredRows: ListMoving, ListFiltering {}
extension FilesViewModel: ListMoving {}
extension PageListViewModel: ListMoving {}
extension ThemesViewModel: ListMoving {}
