/// A row of the list of keys, its text final.
nonisolated package struct KeyItem: Identifiable, Hashable, Sendable {
  package let id: String
  /// Where the keys hold; rows of one place stand together.
  package let heading: String
  package let keys: String
  package let text: String
  /// What the person's own file calls the action, and the place; `nil` for what that file cannot change.
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

/// All keys there are, to look through and to search: the page Keys of Me.
///
/// Whoever shows it gives the rows, from the table that keys are looked up in.
package final class KeysViewModel {
  /// What stands in the list from its top.
  package enum Line: Hashable, Sendable {
    case heading(String)
    /// The item at a place among those given.
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

  /// - Parameter openFile: has the person's own keys changed.
  package init(localizer: Localizer, openFile: @escaping () -> Void) {
    (self.localizer, self.openFile) = (localizer, openFile)
    rows.onChange = { [invalidation] in invalidation.raise() }
  }

  /// Stands where somebody stood in another one.
  package func takePlace(of other: KeysViewModel) { rows.takePlace(of: other.rows) }

  /// Shows these keys: others may hold now.
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

  /// What is shown, with a heading above those of each place, and where the selected one is.
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

  /// How the selected ones are changed, a paragraph each.
  package var help: [String] {
    guard let index = rows.selectedIndex else {
      return rows.filter == nil ? [] : [localizer("help.nothing")]
    }
    guard let name = items[index].name else { return [localizer("keylist.fixed")] }
    return [localizer("keylist.name", ["action": name.action, "context": name.context])]
  }

  /// `e`: the file of one's own keys, in the editor.
  package func edit() { openFile() }
}
