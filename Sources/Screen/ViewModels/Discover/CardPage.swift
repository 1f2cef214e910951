import Text

/// One row of a page of Discover, its text final. Columns that the page does not use are empty.
nonisolated package struct CardItem: Hashable, Sendable {
  /// A glyph of one column before the title.
  package var glyph = ""
  package var title = ""
  /// A count, at the right end of its column.
  package var number = ""
  /// Two letters, such as a language tag.
  package var tag = ""
  /// A short remark.
  package var note = ""
  package var text = ""
  /// The meaning of `glyph` for screen readers, if no other column contains it.
  package var spokenGlyph = ""
  /// The same as `number`, with its unit, for screen readers.
  package var spokenNumber = ""
  /// True if it is highlighted, such as a new entry.
  package var isStrong = false

  package init(
    glyph: String = "", title: String = "", number: String = "", tag: String = "",
    note: String = "", text: String = "", spokenGlyph: String = "", spokenNumber: String = "",
    isStrong: Bool = false
  ) {
    self.glyph = glyph
    self.title = title
    self.number = number
    self.tag = tag
    self.note = note
    self.text = text
    self.spokenGlyph = spokenGlyph
    self.spokenNumber = spokenNumber
    self.isStrong = isStrong
  }
}

/// The actions on a page of Discover, besides navigation.
nonisolated package enum CardAction: Hashable, Sendable {
  case open, add, remove, rename, toggle, sort, refresh
}

/// A page of Discover: many cards with a selection. It makes a card only when it becomes visible.
package protocol CardPage: AnyObject {
  /// An identifier, also the end of its title's key (`discover.page.<id>`).
  var id: String { get }
  /// The visible cards, each identified by a text.
  var rows: FilteredRows<String> { get }
  /// Returns the card at this index of the ids in `rows`.
  func card(_ index: Int) -> CardItem
  /// The column headings.
  var headings: CardItem { get }
  /// The source of the cards and their age.
  var headline: String { get }
  /// The number of cards, as text.
  var count: String { get }
  /// The text shown instead of an empty list.
  var emptyText: String { get }
  /// The details of the selected card, the most important first; lines may be long.
  var summary: [String] { get }
  /// A month beside the cards; `nil` for none.
  var month: MonthItem? { get }
  var actions: Set<CardAction> { get }
  /// Hints for actions with another meaning here: keys of `Resources/locales`.
  var hintKeys: [CardAction: String] { get }
  func perform(_ action: CardAction)
  /// Called when the user opens the page.
  func appeared()
  /// Selects or searches the card called `item`.
  func show(item: String)
  /// Takes over the order of another page of the same kind; `rows` are handled separately.
  func restore(from other: any CardPage)
}

extension CardPage {
  package var month: MonthItem? { nil }
  package var hintKeys: [CardAction: String] { [:] }
  package func restore(from other: any CardPage) {}
}

/// A page in the row of pages.
nonisolated package struct CardTab: Hashable, Sendable {
  package let id: String
  package let title: String
  package let isOpen: Bool
}

/// The sub-app Discover: its pages, with the current one.
package final class DiscoverViewModel {
  package let invalidation = Invalidation()
  package var isFocused = true {
    didSet { if isFocused != oldValue { invalidation.raise() } }
  }

  package let shell: ShellViewModel
  private let pages: [any CardPage]
  private var openIndex = 0

  /// - Parameter pages: from the left; at least one.
  package init(shell: ShellViewModel, pages: [any CardPage]) {
    self.shell = shell
    self.pages = pages
    for page in pages {
      page.rows.onChange = { [weak self] in self?.invalidation.raise() }
    }
    pages[0].appeared()
  }

  package var page: any CardPage { pages[openIndex] }

  /// Takes over the current page of another view model, and the state of each page.
  package func restore(from other: DiscoverViewModel) {
    for (page, old) in zip(pages, other.pages) {
      page.restore(from: old)
      page.rows.restore(from: old.rows)
    }
    if pages.indices.contains(other.openIndex), other.openIndex != openIndex {
      openIndex = other.openIndex
      page.appeared()
    }
    if page.rows.filter?.isEmpty == false { page.rows.onFilter() }
    invalidation.raise()
  }

  package var tabs: [CardTab] {
    pages.enumerated().map {
      CardTab(
        id: $1.id, title: shell.format.localizer("discover.page.\($1.id)"),
        isOpen: $0 == openIndex)
    }
  }

  /// Opens the page to the left (`-1`) or right (`1`), wrapping around.
  package func turn(_ step: Int) { open(index: (openIndex + step + pages.count) % pages.count) }

  /// Opens a page, and shows a card on it unless `item` is empty.
  package func show(page id: String, item: String) {
    guard let index = pages.firstIndex(where: { $0.id == id }) else { return }
    open(index: index)
    if !item.isEmpty { page.show(item: item) }
  }

  package func open(tab id: String) { show(page: id, item: "") }

  private func open(index: Int) {
    guard index != openIndex else { return }
    page.rows.endFilter()
    openIndex = index
    page.appeared()
    invalidation.raise()
  }
}
