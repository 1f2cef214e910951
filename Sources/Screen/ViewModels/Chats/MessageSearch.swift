import FoundationEssentials
import NatterCore
import Text
import XMPP

/// The search for messages, which each key repeats: in the open conversation, where it shows the
/// newest match, or in all of them, as a list.
package final class MessageSearch {
  /// The highest number of matches in the conversation.
  private static let limit = 1000

  package let invalidation = Invalidation()
  package let conversation: JID
  package private(set) var query: String
  /// Graphemes before the cursor.
  package private(set) var cursor: Int
  /// The matches in all conversations; `nil` while only the open one is searched.
  package private(set) var everywhere: FoundMessages?

  private let context: SearchContext
  private let show: (Message.ID, [String]) -> Void
  /// In order, newest first.
  private var matches: [Message.ID] = []
  private var index = 0
  /// The query of the matches, and its text; `nil` before the first search.
  private var searched: (text: String, query: SearchQuery)?
  private var running: Task<Void, Never>?
  private var localizer: Localizer { context.format.localizer }

  /// - Parameter show: shows a message that was found in the conversation, and highlights the terms
  ///   in it.
  init(
    _ query: String, in conversation: JID, _ context: SearchContext,
    show: @escaping (Message.ID, [String]) -> Void
  ) {
    self.query = query
    cursor = query.count
    self.conversation = conversation
    self.context = context
    self.show = show
    search()
  }

  package var title: String { localizer(everywhere == nil ? "find.title" : "find.titleAll") }
  package var hints: [KeyHint] { hints(isNarrow: false) }

  /// The key hints, the most important first.
  /// - Parameter isNarrow: whether they are short, so that the key that changes what is searched
  ///   has room in 36 columns.
  package func hints(isNarrow: Bool) -> [KeyHint] {
    let keys =
      switch (everywhere == nil, isNarrow) {
      case (true, false): ["find.keysOlder", "find.keysNewer", "find.keysAll"]
      case (true, true): ["find.keysOlderShort", "find.keysAllShort"]
      case (false, false): ["find.keysOpen", "find.keysHere"]
      case (false, true): ["find.keysOpen", "find.keysHereShort"]
      }
    return keys.map { localizer.hint($0) } + [localizer.wayOut("dialog.keysClose")]
  }

  /// The index of the match and their number, or that there is none; before them, a filter that is
  /// not valid, and after them, that older messages are not searched yet.
  package var status: String {
    guard let searched, searched.text == query.trimmed else { return "" }
    let problem = searched.query.problems.first.map { localizer("find.problem", ["text": $0]) }
    let missing = everywhere?.missingUpTo.map {
      localizer("find.notYet", ["date": context.format.shortDay($0, now: context.now())])
    }
    return [problem, searched.query.isEmpty ? nil : place, missing].compactMap { $0 }
      .joined(separator: "  ")
  }

  private var place: String {
    let (count, limit, index) =
      everywhere.map { ($0.count, SearchMatches.countLimit - 1, $0.selection) }
      ?? (matches.count, Self.limit - 1, index)
    guard count > 0 else { return localizer("find.nothing") }
    return "\(index + 1)/" + (count > limit ? "\(Self.limit)+" : "\(count)")
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
    if everywhere != nil {
      moveSelection(step)
      _ = selection.map(open)
      return
    }
    guard matches.indices.contains(index + step) else { return }
    index += step
    invalidation.raise()
    show(matches[index], words)
  }

  // MARK: All conversations

  /// Searches all conversations, or only the open one again.
  package func changeScope() {
    everywhere = everywhere == nil ? FoundMessages() : nil
    (matches, index, searched) = ([], 0, nil)
    invalidation.raise()
    search()
  }

  /// The number of rows of the list.
  package var count: Int { everywhere?.rows.count ?? 0 }
  /// The index of the selected row; `nil`: there is none.
  package var selection: Int? { count == 0 ? nil : everywhere?.selection }

  /// Moves the selection by `step` rows; it stops at the ends.
  package func moveSelection(_ step: Int) {
    guard let selection else { return }
    let last = count - 1
    everywhere?.selection = min(max(0, selection + step), last)
    invalidation.raise()
  }

  /// Shows the message of a row in its conversation.
  /// - Returns: `false` without such a row.
  package func open(_ row: Int) -> Bool {
    guard let rows = everywhere?.rows, rows.indices.contains(row) else { return false }
    context.open(rows[row].id, rows[row].jid, words)
    return true
  }

  // MARK: Searching

  private func search() {
    // Another key makes the result of the last one superfluous.
    running?.cancel()
    let text = query.trimmed
    let vocabulary = SearchVocabulary(format: context.format, now: context.now())
    let wanted = SearchQuery(text, vocabulary: vocabulary)
    guard !wanted.isEmpty else {
      matches = []
      if everywhere != nil { everywhere = FoundMessages() }
      searched = text.isEmpty ? nil : (text, wanted)
      return
    }
    let isEverywhere = everywhere != nil
    running = context.lifetime.aside { [weak self, context, conversation] in
      do {
        if isEverywhere {
          let found = try await FoundMessages(wanted, context)
          if !Task.isCancelled { self?.take(found, of: wanted, text) }
        } else {
          let found = try await context.searching.messages(
            having: wanted, in: conversation, limit: Self.limit)
          if !Task.isCancelled { self?.take(found, of: wanted, text) }
        }
      } catch {
        if !Task.isCancelled { context.report(error) }
      }
    }
  }

  private func take(_ found: [Message.ID], of wanted: SearchQuery, _ text: String) {
    (matches, index, searched) = (found, 0, (text, wanted))
    invalidation.raise()
    if let first = found.first { show(first, words) }
  }

  private func take(_ found: FoundMessages, of wanted: SearchQuery, _ text: String) {
    (everywhere, searched) = (found, (text, wanted))
    invalidation.raise()
  }

  private var words: [String] { searched?.query.terms.map(\.text) ?? [] }
}
