import Text

/// A row of the list of keys, its text final.
nonisolated package struct KeyItem: Identifiable, Hashable, Sendable {
  package let id: String
  /// The context of the keys; rows of one context are adjacent.
  package let heading: String
  package let keys: String
  package let text: String
  /// The names of action and context in the user's key file; `nil` if the file cannot change them.
  package let name: (action: String, context: String)?

  package init(
    id: String, heading: String, keys: String, text: String,
    name: (action: String, context: String)? = nil
  ) {
    self.id = id
    self.heading = heading
    self.keys = keys
    self.text = text
    self.name = name
  }

  package static func == (left: KeyItem, right: KeyItem) -> Bool {
    left.id == right.id && left.heading == right.heading && left.keys == right.keys
      && left.text == right.text && left.name?.action == right.name?.action
      && left.name?.context == right.name?.context
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

/// All keys, to read and to search: the page Keys of Me.
///
/// Its caller provides the rows, from the table in which keys are looked up.
package final class KeysViewModel {
  /// A line of the list.
  package enum Line: Hashable, Sendable {
    case heading(String)
    /// The item at that index of `items`.
    case item(Int)
  }

  package let invalidation = Invalidation()
  package let rows = FilteredRows<String>()
  package private(set) var items: [KeyItem] = []
  package var isFocused = false {
    didSet { if isFocused != oldValue { invalidation.raise() } }
  }

  private let localizer: Localizer
  private let openFile: () -> Void

  /// - Parameter openFile: opens the user's own key file.
  package init(localizer: Localizer, openFile: @escaping () -> Void) {
    (self.localizer, self.openFile) = (localizer, openFile)
    rows.onChange = { [invalidation] in invalidation.raise() }
  }

  /// Takes over the filter and selection of another view model.
  package func restore(from other: KeysViewModel) { rows.restore(from: other.rows) }

  /// Shows these keys, which may differ from the previous ones.
  package func show(_ items: [KeyItem]) {
    guard items != self.items else { return }
    self.items = items
    rows.load(items.map(\.id)) { index in
      let item = items[index]
      return "\(item.keys) \(item.text) \(item.heading) \(item.name?.action ?? "")"
    }
  }

  package var title: String { localizer("keylist.page") }

  package var count: String {
    localizer.plural("keylist.count", rows.shown.count)
  }

  /// The visible lines, with a heading above the keys of each context, and the index of the
  /// selected one.
  package var lines: (all: [Line], selected: Int?) {
    var all: [Line] = []
    var (heading, selected): (String?, Int?)
    for (row, index) in rows.shown.enumerated() {
      if items[index].heading != heading {
        heading = items[index].heading
        all.append(.heading(items[index].heading))
      }
      if row == rows.selectedRow { selected = all.count }
      all.append(.item(index))
    }
    return (all, selected)
  }

  /// Explains how to change the selected key, one paragraph each.
  package var help: [String] {
    guard let index = rows.selectedIndex else {
      return rows.filter == nil ? [] : [localizer("help.nothing")]
    }
    guard let name = items[index].name else { return [localizer("keylist.fixed")] }
    return [localizer("keylist.name", ["action": name.action, "context": name.context])]
  }

  /// Handles `e`: opens the user's own key file in the editor.
  package func edit() { openFile() }
}
