import NatterCore
import Text

/// The items of scripts in the status line, one for the shells of all accounts.
package final class ScriptStatusBar {
  /// An item as it is shown: its text is on one line, safe, and never empty.
  package struct Item: Hashable {
    package let text: String
    package let role: ScriptTextRole
  }

  /// The items, by script and id.
  private(set) var items: [ScriptStatusItem] = []
  private var followers: [Follower] = []

  private struct Follower {
    weak var invalidation: Invalidation?
  }

  init() {}

  /// Raises `invalidation` when the items change, as long as it exists.
  func follow(_ invalidation: Invalidation) {
    followers.removeAll { $0.invalidation == nil || $0.invalidation === invalidation }
    followers.append(Follower(invalidation: invalidation))
  }

  func show(_ items: [ScriptStatusItem]) {
    guard items != self.items else { return }
    self.items = items
    for follower in followers { follower.invalidation?.raise() }
  }

  /// The items as a shell shows them.
  func shown(_ format: ItemFormat) -> [Item] {
    items.compactMap { item in
      let text = format.shown(ErrorText.oneLine(item.text, limit: ScriptStatusItem.width))
      return text.isEmpty ? nil : Item(text: text, role: item.role)
    }
  }
}
