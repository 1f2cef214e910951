import FoundationEssentials
import NatterCore
import Text
import XMPP

/// The matches of a search in all conversations of the account: a list, newest first.
package struct FoundMessages {
  /// A message in the list.
  package struct Row: Identifiable {
    package let id: Message.ID
    let jid: JID
    package let time: String
    /// The time in 7 columns at most.
    package let narrowTime: String
    /// The name of the conversation.
    package let conversation: String
    /// The sender's name; empty in a conversation that has this name itself.
    package let sender: String
    /// The text on one line, from shortly before the first match on.
    package let text: String
    /// The matches in the text, in characters.
    package let ranges: [Range<Int>]
  }

  /// The highest number of rows.
  static let limit = 50
  /// The characters before the first match that are kept of a long text.
  private static let before = 16
  /// The highest number of characters of a text.
  private static let longest = 10_000

  package private(set) var rows: [Row] = []
  package internal(set) var selection = 0
  /// The number of all matches, `SearchMatches.countLimit` at most.
  private(set) var count = 0
  /// The time up to which messages are not searched yet.
  private(set) var missingUpTo: Date?

  init() {}

  /// Finds the matches of `query`.
  init(_ query: SearchQuery, _ context: SearchContext) async throws {
    let found = try await context.searching.matches(of: query, limit: Self.limit)
    (count, missingUpTo) = (found.count, found.missingUpTo)
    let terms = query.terms.map(\.text)
    for match in found.matches {
      try Task.checkCancellation()
      // It may have gone in the meantime.
      guard let message = try await context.archive.storedMessage(match.id) else { continue }
      rows.append(Self.row(message, terms, context))
    }
  }

  private static func row(_ message: Message, _ terms: [String], _ context: SearchContext) -> Row {
    let conversation = context.name(message.conversation)
    let sender = context.author(message)
    var text = ErrorText.oneLine(
      context.format.bodyText(of: message, by: sender, now: context.now()), limit: Self.longest)
    if let name = message.file?.safeName, FoundText.ranges(of: terms, in: text).isEmpty {
      text = name
    }
    if let first = FoundText.ranges(of: terms, in: text).first, first.lowerBound > Self.before {
      let rest = text.dropFirst(first.lowerBound - Self.before)
      text = context.format.glyphs.ellipsis + rest
    }
    return Row(
      id: message.id, jid: message.conversation,
      time: context.format.shortDay(message.sentAt, now: context.now()),
      narrowTime: context.format.narrowDay(message.sentAt, now: context.now()),
      conversation: conversation, sender: sender == conversation ? "" : sender, text: text,
      ranges: FoundText.ranges(of: terms, in: text))
  }
}

/// The parts of the shell that a search uses.
struct SearchContext {
  let format: ItemFormat
  let now: () -> Date
  let searching: any MessageSearching
  let archive: any TimelineReading
  let lifetime: Lifetime
  /// Returns the name of a conversation.
  let name: (JID) -> String
  /// Returns the name of a message's sender.
  let author: (Message) -> String
  /// Opens the conversation of a message, shows the message and highlights the terms in it.
  let open: (Message.ID, JID, [String]) -> Void
  let report: (any Error) -> Void
}

extension SearchContext {
  init(of shell: ShellViewModel, _ searching: any MessageSearching) {
    self.init(
      format: shell.format, now: shell.now, searching: searching, archive: shell.ports.timeline,
      lifetime: shell.lifetime, name: { [weak shell] in shell?.name(of: $0) ?? $0.shown },
      author: { [weak shell] in shell?.timeline.author(of: $0) ?? "" },
      open: { [weak shell] in shell?.reveal($0, in: $1, having: $2) },
      report: { [weak shell] in shell?.report($0) })
  }
}
