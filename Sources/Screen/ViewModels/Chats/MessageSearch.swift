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

  private let localizer: Localizer
  private let searching: any MessageSearching
  private let lifetime: Lifetime
  private let show: (Message.ID, [String]) -> Void
  private let report: (any Error) -> Void
  /// In order, newest first.
  private var matches: [Message.ID] = []
  private var index = 0
  /// The query of the matches; `nil` before the first search.
  private var searched: String?
  private var searchNumber = 0

  /// - Parameters:
  ///   - show: shows a message that was found, and highlights the terms in it.
  ///   - report: reports an error.
  init(
    _ query: String, in conversation: JID, localizer: Localizer, searching: any MessageSearching,
    lifetime: Lifetime, show: @escaping (Message.ID, [String]) -> Void,
    report: @escaping (any Error) -> Void
  ) {
    self.query = query
    cursor = query.count
    self.conversation = conversation
    self.localizer = localizer
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

  /// The index of the match and their number, or that there is none.
  package var status: String {
    guard !query.trimmed.isEmpty, searched == query.trimmed else { return "" }
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
    searchNumber += 1
    let wanted = query.trimmed
    guard !wanted.isEmpty else {
      (matches, searched) = ([], nil)
      return
    }
    let searchNumber = searchNumber
    lifetime.aside { [weak self, searching, conversation] in
      do {
        let found = try await searching.messages(
          having: wanted, in: conversation, limit: Self.limit)
        self?.take(found, of: wanted, searchNumber)
      } catch {
        self?.report(error)
      }
    }
  }

  private func take(_ found: [Message.ID], of wanted: String, _ itsNumber: Int) {
    // The query has changed meanwhile.
    guard itsNumber == searchNumber else { return }
    (matches, index, searched) = (found, 0, wanted)
    invalidation.raise()
    if let first = found.first { show(first, words) }
  }

  private var words: [String] {
    (searched ?? "").split(whereSeparator: \.isWhitespace).map(String.init)
  }
}
