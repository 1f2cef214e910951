import NatterCore

/// One row of a page of values, its text final.
nonisolated package struct ValueItem: Identifiable, Hashable, Sendable {
  package let id: String
  package let title: String
  package let value: String
  /// Whether it stands out among the others: it is not what it is by default.
  package var isChanged = false
  /// What is wrong with it, or what becomes of it; empty for nothing.
  package var note = ""
  package var isWrong = false
  package var isSelected = false

  package init(id: String, title: String, value: String) {
    self.id = id
    self.title = title
    self.value = value
  }
}

/// A page of things that each have a value, one of them selected: settings, one's own profile.
package protocol ValueListing: AnyObject {
  var invalidation: Invalidation { get }
  var title: String { get }
  var isFocused: Bool { get set }
  /// The rows from the top.
  var items: [ValueItem] { get }
  /// What there is to say of the selected one, a paragraph each.
  var help: [String] { get }
  /// A picture that belongs to the page; `nil` for none.
  var picture: PictureFile? { get }
  func select(_ id: ValueItem.ID)
  /// Goes to the one of that name, from a list of all there is.
  func select(key: String)
  /// Moves the selection; it stops at the ends.
  func moveSelection(_ step: Int)
  /// Enter: changes it, in the way that fits it.
  func open()
  /// Left and Right: the value before or after.
  func turn(_ step: Int)
  /// Del: back to what it is by default, or out of the list.
  func reset()
  /// Whether all of it can be changed at once.
  var isEditable: Bool { get }
  /// `e`: changes all of it at once.
  func edit()
  /// Whether it is a list that takes more.
  var takesMore: Bool { get }
  /// `a`: puts something into the list.
  /// - Returns: whether it is a list that takes more.
  func add() -> Bool
}

extension ValueListing {
  package var picture: PictureFile? { nil }
  package var isEditable: Bool { false }
  package func edit() {}
  package var takesMore: Bool { false }
  package func add() -> Bool { false }
}
