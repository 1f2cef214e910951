import Keys
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
  /// The filter of the list; `nil` while none is being typed.
  var filter: String? { get }
  func typeFilter(_ text: String)
  /// Takes so many letters off its end; one that has none ends.
  func shortenFilter(by count: Int)
  @discardableResult func endFilter() -> Bool
}

extension ListFiltering {
  /// Takes the keys that are typed into a filter, while there is one.
  /// - Returns: whether it took this one.
  func take(_ key: Key, by bindings: KeyBindingTable) -> Bool {
    guard let filter, let meant = FilterKey(key, in: filter, by: bindings) else { return false }
    switch meant {
    case .typed(let text): typeFilter(text)
    case .shortened(let count): shortenFilter(by: count)
    case .ended: endFilter()
    case .nothing: break
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

/// The keys of a list's filter. Its text is typed at the end: of `editing`, what applies to the
/// text before the cursor.
enum FilterKey {
  case typed(String)
  /// So many letters fewer.
  case shortened(Int)
  case ended
  /// There is nothing to cut.
  case nothing

  /// - Returns: `nil` where the key is for something else.
  init?(_ key: Key, in text: String, by bindings: KeyBindingTable) {
    if OverlayList.closes(key) {
      self = .ended
      return
    }
    switch bindings.editing(key) {
    case .deleteBackward: self = .shortened(1)
    case .cutToBlank, .cutWordBackward, .cutToLineStart:
      var line = LineEditor(text)
      _ = line.take(key, by: bindings)
      let count = text.count - line.text.count
      self = count > 0 ? .shortened(count) : .nothing
    default:
      guard case .character(let character) = key.code, key.modifiers.isEmpty else { return nil }
      self = .typed(String(character))
    }
  }
}

extension FilteredRows: ListMoving, ListFiltering {}
extension SidebarViewModel: ListFiltering {}
extension ContactsViewModel: ListFiltering {}
extension FilesViewModel: ListMoving {}
extension PageListViewModel: ListMoving {}
extension ThemesViewModel: ListMoving {}
