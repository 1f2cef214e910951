/// One row of a page of Discover, its text final. What a page has no use for is empty.
nonisolated package struct CardItem: Hashable, Sendable {
  /// One column before the title.
  package var sign = ""
  package var title = ""
  /// How many, at the right end of its column.
  package var number = ""
  /// Two letters, as a language has.
  package var tag = ""
  /// A word or two.
  package var note = ""
  package var text = ""
  /// What `sign` means, where nothing else of the row says it: for whoever hears the row.
  package var signWords = ""
  /// `number` with what is counted, for the same.
  package var numberWords = ""
  /// Whether it stands out, as what is new.
  package var isStrong = false

  package init(
    sign: String = "", title: String = "", number: String = "", tag: String = "",
    note: String = "", text: String = "", signWords: String = "", numberWords: String = "",
    isStrong: Bool = false
  ) {
    self.sign = sign
    self.title = title
    self.number = number
    self.tag = tag
    self.note = note
    self.text = text
    self.signWords = signWords
    self.numberWords = numberWords
    self.isStrong = isStrong
  }
}

/// What can be done on a page of Discover beside going about in it.
nonisolated package enum CardAction: Hashable, Sendable {
  case open, add, remove, rename, toggle, sort, refresh
}

/// A page of Discover: many cards, of which one is selected. It makes those that are looked at and no others.
package protocol CardPage: AnyObject {
  /// A word of the program's own, also the end of its title's key (`discover.page.<id>`).
  var id: String { get }
  /// Which cards are shown; each is known by a text.
  var rows: FilteredRows<String> { get }
  /// The card at this place among those that were given to `rows`.
  func card(_ index: Int) -> CardItem
  /// What stands above the cards.
  var headings: CardItem { get }
  /// Where the cards are from and how old they are.
  var headline: String { get }
  /// How many there are, in words.
  var count: String { get }
  /// What is said in place of cards.
  var emptyText: String { get }
  /// What there is to tell of the selected card, the most important first; a line may be long.
  var summary: [String] { get }
  /// A month beside the cards; `nil`: there is none.
  var month: MonthItem? { get }
  var actions: Set<CardAction> { get }
  /// What the hint bar calls those that are something else here: keys of `Resources/locales`.
  var hintKeys: [CardAction: String] { get }
  func perform(_ action: CardAction)
  /// Called when the person comes to the page.
  func appeared()
  /// Goes to what is called `item`.
  func show(item: String)
  /// Shows what another one of the same kind did, in its order; the rows are seen to.
  func takePlace(of other: any CardPage)
}

extension CardPage {
  package var month: MonthItem? { nil }
  package var hintKeys: [CardAction: String] { [:] }
  package func takePlace(of other: any CardPage) {}
}

/// A page as the row of pages has it.
nonisolated package struct CardTab: Hashable, Sendable {
  package let id: String
  package let title: String
  package let isOpen: Bool
}

/// The sub-app Discover: its pages, and which of them is open.
package final class DiscoverViewModel {
  package let invalidation = Invalidation()
  package var isFocused = true {
    didSet { if isFocused != oldValue { invalidation.raise() } }
  }

  package let shell: ShellViewModel
  private let pages: [any CardPage]
  private var openIndex = 0

  /// - Parameter pages: from the left; there is one at least.
  package init(shell: ShellViewModel, pages: [any CardPage]) {
    self.shell = shell
    self.pages = pages
    for page in pages {
      page.rows.onChange = { [weak self] in self?.invalidation.raise() }
    }
    pages[0].appeared()
  }

  package var page: any CardPage { pages[openIndex] }

  /// Opens the page that was open in another one; each page shows what it showed there.
  package func takePlace(of other: DiscoverViewModel) {
    for (page, old) in zip(pages, other.pages) {
      page.takePlace(of: old)
      page.rows.takePlace(of: old.rows)
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

  /// Goes to the page at the left (`-1`) or the right (`1`), round the ends.
  package func turn(_ step: Int) { open(index: (openIndex + step + pages.count) % pages.count) }

  /// Goes to a page, and to a thing on it unless that is empty.
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
