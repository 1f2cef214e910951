import NatterCore
import Text
import XMPP

/// The messages of a conversation that only the server has, for a search that found nothing in
/// those that are stored here.
struct OlderMessages {
  /// The state of the request for them.
  enum State: Hashable {
    case offered, underWay, beginning, unanswered
    /// The sign-in is not finished: nothing was requested.
    case early
    case refused(HistoryRefusal)
  }

  var state = State.offered
  /// The number of messages that are stored, and were searched.
  var stored: Int

  /// Indicates whether the server can be asked.
  var canBeAsked: Bool { [.offered, .unanswered, .early].contains(state) }

  /// The state, and the key that asks.
  /// - Parameter isNarrow: whether there are 36 columns only.
  func text(_ format: ItemFormat, isNarrow: Bool) -> String {
    let localizer = format.localizer
    switch state {
    case .offered where isNarrow: return localizer("find.olderOfferedShort")
    case .offered: return localizer.plural("find.olderOffered", stored)
    case .underWay where isNarrow: return localizer("find.olderUnderWayShort")
    case .underWay: return localizer.plural("find.olderUnderWay", stored)
    case .beginning where isNarrow: return localizer("find.olderBeginningShort")
    case .beginning: return localizer.plural("find.olderBeginning", stored)
    case .unanswered where isNarrow: return localizer("find.olderUnansweredShort")
    case .unanswered: return localizer("find.olderUnanswered")
    case .early: return localizer("find.olderEarly")
    case .refused where isNarrow: return localizer("find.olderRefusedShort")
    case .refused(let refusal): return format.text(of: refusal, "find.olderRefused")
    }
  }
}

/// The search in messages that are fetched page by page until one of them matches: first those that
/// are missing between stored ones, then older ones.
struct OlderSearch {
  let conversation: JID
  let searching: any MessageSearching
  let history: any HistoryFetching
  let query: SearchQuery
  /// The highest number of matches.
  let limit: Int

  /// - Parameter progress: called after each page without a match.
  /// - Returns: the matches, newest first; the state where there are none.
  /// - Throws: `CancellationError`; `NatterError` if a page could not be stored.
  func run(progress: (OlderMessages) -> Void) async throws -> (
    found: [Message.ID], older: OlderMessages
  ) {
    // The gaps of which the archive has nothing, or that stay as they are.
    var left: Set<HistoryHole> = []
    while true {
      let hole = try await history.holes(in: conversation).last { !left.contains($0) }
      let outcome =
        if let hole {
          try await history.fetchMissing(in: hole, of: conversation)
        } else { try await history.fetchOlder(in: conversation) }
      try Task.checkCancellation()
      if let hole {
        left.insert(hole)
        if outcome == .beginning { continue }
      }
      let stored = try await searching.storedMessages(in: conversation)
      switch outcome {
      case .offline:
        let isEarly = await history.isSigningIn()
        return ([], OlderMessages(state: isEarly ? .early : .unanswered, stored: stored))
      case .beginning: return ([], OlderMessages(state: .beginning, stored: stored))
      case .refused(let refusal):
        return ([], OlderMessages(state: .refused(refusal), stored: stored))
      case .fetched:
        let found = try await searching.messages(
          having: query, in: conversation, limit: limit)
        guard found.isEmpty else { return (found, OlderMessages(stored: stored)) }
        progress(OlderMessages(state: .underWay, stored: stored))
      }
    }
  }
}
