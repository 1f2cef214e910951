import FoundationEssentials
import NatterCore
import XMPP

/// The messages that a search looks through; Tab changes to the next one.
package enum SearchScope {
  case conversation, account, everywhere
}

/// An account of the program, as a search looks through it.
package struct SearchedAccount {
  /// The bare address.
  package let jid: JID
  /// Its index among the accounts of the program, from 0; it decides the colour.
  package let index: Int
  package let searching: any MessageSearching
  package let archive: any TimelineReading
  /// Returns the name of a conversation.
  package let name: (JID) -> String
  /// Returns the name of a message's sender.
  package let author: (Message) -> String
  /// Searches on the account's server; `nil` where the account is not signed in.
  package var server: (any ServerSearching)?

  package init(
    jid: JID, index: Int, searching: any MessageSearching, archive: any TimelineReading,
    name: @escaping (JID) -> String, author: @escaping (Message) -> String
  ) {
    self.jid = jid.bare
    self.index = index
    self.searching = searching
    self.archive = archive
    self.name = name
    self.author = author
  }
}

/// The actions that the program around the shell performs for a search.
package struct SearchActions {
  /// Opens the search prompt, until Esc.
  package var show: (MessageSearch) -> Void = { _ in }
  /// Returns the accounts besides the shell's own: those that are open, and those of which messages
  /// are stored.
  package var others: () async -> [SearchedAccount] = { [] }
  /// Switches to an account, shows a message in its conversation, and highlights the terms in it.
  package var open: (_ account: JID, Message.ID, JID, [String]) -> Void = { _, _, _, _ in }
  /// Returns what searches on the server of the shell's own account; `nil` where nothing does.
  package var server: () -> (any ServerSearching)? = { nil }
  let consent = ServerSearchConsent()

  package init() {}
}

/// The matches of several accounts as one list, in the order of their ranks, then of their times.
struct SearchMerge {
  /// A match in one of the accounts.
  struct Match: Hashable {
    /// The index of the account among the results.
    let account: Int
    let match: SearchMatches.Match
  }

  /// In order, best first, of one rank the newest first. Of two matches with one time, that of the
  /// earlier account is first; within an account, the order is that of its result.
  let matches: [Match]
  /// The number of all matches, `SearchMatches.countLimit` at most.
  let count: Int
  /// The newest time up to which an account is not searched yet.
  let missingUpTo: Date?

  /// - Parameters:
  ///   - results: one for each account, each in order.
  ///   - limit: the highest number of matches.
  init(_ results: [SearchMatches], limit: Int) {
    var next = results.map { $0.matches[...] }
    var merged: [Match] = []
    while merged.count < limit {
      var first: Int?
      for index in next.indices {
        guard let match = next[index].first else { continue }
        if let best = first.flatMap({ next[$0].first }),
          (best.rank, match.sentAt) <= (match.rank, best.sentAt)
        {
          continue
        }
        first = index
      }
      guard let first, let match = next[first].popFirst() else { break }
      merged.append(Match(account: first, match: match))
    }
    matches = merged
    count = min(results.reduce(0) { $0 + $1.count }, SearchMatches.countLimit)
    missingUpTo = results.compactMap(\.missingUpTo).max()
  }
}
