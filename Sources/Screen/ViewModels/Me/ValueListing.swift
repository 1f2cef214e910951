import NatterCore

/// One row of a page of values, its text final.
nonisolated package struct ValueItem: Identifiable, Hashable, Sendable {
  package let id: String
  package let title: String
  package let value: String
  /// True if it differs from the default, which highlights it.
  package var isChanged = false
  /// An error, or the progress of a change; empty for none.
  package var note = ""
  package var isWrong = false
  package var isSelected = false

  package init(id: String, title: String, value: String) {
    self.id = id
    self.title = title
    self.value = value
  }
}

/// A page of values with a selection: settings, the own profile.
package protocol ValueListing: AnyObject {
  var invalidation: Invalidation { get }
  var title: String { get }
  var isFocused: Bool { get set }
  /// The rows from the top.
  var items: [ValueItem] { get }
  /// The description of the selected row, one paragraph each.
  var help: [String] { get }
  /// A picture that belongs to the page; `nil` for none.
  var picture: PictureFile? { get }
  func select(_ id: ValueItem.ID)
  /// Selects the row with that key, from a search over all pages.
  func select(key: String)
  /// Moves the selection; it stops at the ends.
  func moveSelection(_ step: Int)
  /// Handles Enter: changes the value, in the way that suits its kind.
  func open()
  /// Handles Left and Right: the previous or next value.
  func turn(_ step: Int)
  /// Handles Del: resets to the default, or removes from the list.
  func reset()
  /// True if all values can be edited at once.
  var isEditable: Bool { get }
  /// Handles `e`: edits all values at once.
  func edit()
  /// True if it is a list that can be extended.
  var takesMore: Bool { get }
  /// Handles `a`: adds an entry to the list.
  /// - Returns: whether it is a list that can be extended.
  func add() -> Bool
}

extension ValueListing {
  package var picture: PictureFile? { nil }
  package var isEditable: Bool { false }
  package func edit() {}
  package var takesMore: Bool { false }
  package func add() -> Bool { false }
}
