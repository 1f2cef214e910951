import FoundationEssentials
import NatterCore
import Text
import XMPP

/// The search in the open conversation: each key searches again, and shows the newest match.
package final class MessageSearch {
  /// The highest number of matches.
  private static let limit = 1000

  package let invalidation = Invalidation()
  package let conversation: JID
  package private(set) var query: String
  /// Graphemes before the cursor.
  package private(set) var cursor: Int

  private let format: ItemFormat
  private let now: () -> Date
  private let searching: any MessageSearching
  private let lifetime: Lifetime
  private let show: (Message.ID, [String]) -> Void
  private let report: (any Error) -> Void
  /// In order, newest first.
  private var matches: [Message.ID] = []
  private var index = 0
  /// The query of the matches, and its text; `nil` before the first search.
  private var searched: (text: String, query: SearchQuery)?
  private var running: Task<Void, Never>?
  private var localizer: Localizer { format.localizer }

  /// - Parameters:
  ///   - show: shows a message that was found, and highlights the terms in it.
  ///   - report: reports an error.
  init(
    _ query: String, in conversation: JID, format: ItemFormat, now: @escaping () -> Date,
    searching: any MessageSearching, lifetime: Lifetime,
    show: @escaping (Message.ID, [String]) -> Void, report: @escaping (any Error) -> Void
  ) {
    self.query = query
    cursor = query.count
    self.conversation = conversation
    self.format = format
    self.now = now
    self.searching = searching
    self.lifetime = lifetime
    self.show = show
    self.report = report
    search()
  }

  package var title: String { localizer("find.title") }
  package var hints: [KeyHint] {
    [
      localizer.hint("find.keysOlder"), localizer.hint("find.keysNewer"),
      localizer.wayOut("dialog.keysClose"),
    ]
  }

  /// The index of the match and their number, or that there is none; before them, a filter that is
  /// not valid.
  package var status: String {
    guard let searched, searched.text == query.trimmed else { return "" }
    let problem = searched.query.problems.first.map { localizer("find.problem", ["text": $0]) }
    return [problem, searched.query.isEmpty ? nil : place].compactMap { $0 }.joined(separator: "  ")
  }

  private var place: String {
    if matches.isEmpty { return localizer("find.nothing") }
    let count = matches.count < Self.limit ? "\(matches.count)" : "\(matches.count)+"
    return "\(index + 1)/\(count)"
  }

  /// Updates the query after a key of the line editor.
  package func edit(_ text: String, cursor: Int) {
    self.cursor = min(max(0, cursor), text.count)
    let isNew = text.trimmed != query.trimmed
    query = text
    invalidation.raise()
    if isNew { search() }
  }

  /// Moves to an older match (`1`), or to a newer one (`-1`); it stops at the ends.
  package func move(_ step: Int) {
    guard matches.indices.contains(index + step) else { return }
    index += step
    invalidation.raise()
    show(matches[index], words)
  }

  private func search() {
    // Another key makes the result of the last one superfluous.
    running?.cancel()
    let text = query.trimmed
    let wanted = SearchQuery(text, vocabulary: SearchVocabulary(format: format, now: now()))
    guard !wanted.isEmpty else {
      matches = []
      searched = text.isEmpty ? nil : (text, wanted)
      return
    }
    running = lifetime.aside { [weak self, searching, conversation] in
      do {
        let found = try await searching.messages(
          having: wanted, in: conversation, limit: Self.limit)
        if !Task.isCancelled { self?.take(found, of: wanted, text) }
      } catch {
        if !Task.isCancelled { self?.report(error) }
      }
    }
  }

  private func take(_ found: [Message.ID], of wanted: SearchQuery, _ text: String) {
    (matches, index, searched) = (found, 0, (text, wanted))
    invalidation.raise()
    if let first = found.first { show(first, words) }
  }

  private var words: [String] { searched?.query.terms.map(\.text) ?? [] }
}
