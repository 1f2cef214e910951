import NatterCore
import Text

/// A key or command with its description.
nonisolated package struct HelpEntry: Hashable, Sendable {
  package let term: String
  package let text: String
  /// Synonyms for the search; never shown.
  package let synonyms: String

  package init(_ term: String, _ text: String, synonyms: String = "") {
    self.term = term
    self.text = text
    self.synonyms = synonyms
  }
}

/// Related entries under a heading.
nonisolated package struct HelpSection: Hashable, Sendable {
  package let heading: String
  package let entries: [HelpEntry]
  package init(heading: String, entries: [HelpEntry]) {
    self.heading = heading
    self.entries = entries
  }
}

/// A page of help: its sections are side by side if there is room.
nonisolated package struct HelpPage: Identifiable, Hashable, Sendable {
  /// The name that `/help` takes.
  package let id: String
  package let title: String
  package let sections: [HelpSection]
  /// A line or two below the sections.
  package let footer: [String]
  package init(id: String, title: String, sections: [HelpSection], footer: [String] = []) {
    self.id = id
    self.title = title
    self.sections = sections
    self.footer = footer
  }
}

/// Help: the keys of the pane that was open, those that work everywhere, and the commands
/// (interface.md, "Screens").
///
/// The pages are generated from the tables of keys and commands, so that they are always correct.
package final class HelpViewModel {
  package let invalidation = Invalidation()
  package let pages: [HelpPage]
  /// The current page, from 0.
  package private(set) var page = 0 { didSet { invalidation.raise() } }
  /// The first visible row of the page.
  package private(set) var scroll = 0 { didSet { invalidation.raise() } }
  /// The search query; `nil` outside a search.
  package private(set) var query: String? {
    didSet {
      if query != oldValue {
        matches = query.map { index.sections(matching: Self.folded($0)) } ?? []
      }
      invalidation.raise()
    }
  }
  /// The sections that match `query`, searched once for all that is drawn of them.
  private var matches: [HelpSection] = []
  /// The cursor in `query`, in graphemes.
  package private(set) var cursor = 0
  /// True if keys go to the query.
  package private(set) var isTyping = false { didSet { invalidation.raise() } }
  /// A requested topic that does not exist.
  package private(set) var unknownTopic: String?
  private let localizer: Localizer
  private lazy var index = HelpSearch(pages)

  package var onClose: () -> Void = {}
  package var onGuide: () -> Void = {}
  package var onManual: () -> Void = {}

  /// - Parameter topic: the argument of `/help`; empty for the first page.
  package init(pages: [HelpPage], localizer: Localizer, topic: String = "") {
    self.pages = pages
    self.localizer = localizer
    open(topic)
  }

  /// Opens a page by its name, or searches for the topic.
  package func open(_ topic: String) {
    let topic = Self.folded(topic)
    unknownTopic = nil
    query = nil
    (page, scroll) = (0, 0)
    guard !topic.isEmpty else { return }
    if let index = pages.firstIndex(where: { Self.folded($0.id) == topic }) {
      page = index
    } else {
      query = topic
      cursor = topic.count
      if matches.isEmpty {
        query = nil
        unknownTopic = ErrorText.oneLine(topic)
      }
    }
  }

  /// The sections of the page or the search.
  package var sections: [HelpSection] {
    query == nil ? (pages.indices.contains(page) ? pages[page].sections : []) : matches
  }

  package var footer: [String] {
    if let unknownTopic { return [localizer("help.unknown", ["topic": unknownTopic])] }
    if query != nil { return matches.isEmpty ? [localizer("help.nothing")] : [] }
    return pages.indices.contains(page) ? pages[page].footer : []
  }

  package var title: String {
    if query != nil { return localizer("help.titleSearch") }
    guard pages.indices.contains(page) else { return localizer("help.titleSearch") }
    return localizer(
      "help.title",
      [
        "page": pages[page].title, "number": String(page + 1), "count": String(pages.count),
      ])
  }

  package var keyHints: [KeyHint] {
    if isTyping {
      return [localizer.hint("help.keysSearchDone"), localizer.wayOut("help.keysSearchLeave")]
    }
    return [
      localizer.wayOut("help.keysClose"), localizer.hint("help.keysMore"),
      localizer.hint("help.keysSearch"),
      localizer.hint("help.keysGuide"), localizer.hint("help.keysManual"),
    ]
  }

  /// The label of the search line.
  package var searchLabel: String { localizer("help.search") }

  private static func folded(_ text: String) -> String {
    var text = text[...]
    while text.first == "/" || text.first?.isWhitespace == true { text.removeFirst() }
    while text.last?.isWhitespace == true { text.removeLast() }
    return SearchForm.of(text)
  }

  // MARK: - User input

  /// Handles PgDn and PgUp: through the page, then to the next or previous one.
  /// - Parameters:
  ///   - rows: the number of rows of the page.
  ///   - visible: the number of rows that are on the screen.
  package func turn(by step: Int, rows: Int, visible: Int) {
    let last = max(0, rows - visible)
    if step > 0 {
      if scroll < last {
        scroll = min(last, scroll + max(1, visible - 1))
      } else if query == nil, page + 1 < pages.count {
        (page, scroll) = (page + 1, 0)
      }
    } else if scroll > 0 {
      scroll = max(0, scroll - max(1, visible - 1))
    } else if query == nil, page > 0 {
      (page, scroll) = (page - 1, 0)
    }
  }

  /// Handles Up and Down.
  package func scroll(by step: Int, rows: Int, visible: Int) {
    scroll = min(max(0, scroll + step), max(0, rows - visible))
  }

  /// Handles Left and Right: whole pages.
  package func showPage(by step: Int) {
    guard query == nil else { return }
    let next = min(max(0, page + step), max(0, pages.count - 1))
    if next != page { (page, scroll) = (next, 0) }
  }

  /// Opens the search line, with the previous query if there is one.
  package func beginSearch() {
    if query == nil { (query, cursor) = ("", 0) }
    unknownTopic = nil
    isTyping = true
    scroll = 0
  }

  /// Updates the query after a key of the line editor.
  package func edit(_ text: String, cursor: Int) {
    guard isTyping else { return }
    (query, self.cursor) = (text, min(max(0, cursor), text.count))
    scroll = 0
  }

  /// Handles Enter in the query: the keys go to the results.
  package func endTyping() {
    isTyping = false
    if query?.isEmpty == true { query = nil }
  }

  package func showGuide() { onGuide() }

  package func showManual() { onManual() }

  /// Handles Esc: leaves the search, then the help.
  package func cancel() {
    if query != nil {
      query = nil
      isTyping = false
      scroll = 0
    } else {
      onClose()
    }
  }
}
