import FoundationEssentials
import XMPP

/// Searches the text of messages. Searching does not wait for writers, and ends early with
/// `CancellationError` when its task is cancelled.
package protocol MessageSearching: Sendable {
  /// Returns the messages of a conversation that match `query`, newest first, `limit` at most.
  /// Each term matches a word or the beginning of one, ignoring accents and case; in scripts that
  /// are written without spaces, anywhere.
  func messages(having query: SearchQuery, in conversation: JID, limit: Int) async throws
    -> [Message.ID]

  /// Returns the messages of all conversations that match `query`, newest first, `limit` at most.
  /// Only the beginning of the last word is enough for a match.
  func matches(of query: SearchQuery, limit: Int) async throws -> SearchMatches

  /// Returns the same with the best ones first (bm25), as far as they are among the newest
  /// `SearchMatches.rankLimit` matches.
  func bestMatches(of query: SearchQuery, limit: Int) async throws -> SearchMatches

  /// Returns the number of stored messages of a conversation.
  func storedMessages(in conversation: JID) async throws -> Int
}

extension MessageSearching {
  package func bestMatches(of query: SearchQuery, limit: Int) async throws -> SearchMatches {
    try await matches(of: query, limit: limit)
  }

  package func storedMessages(in conversation: JID) async throws -> Int { 0 }
}

/// The result of a search over all conversations of an account.
package struct SearchMatches: Hashable, Sendable {
  /// The count of matches at which counting ends.
  package static let countLimit = 1001
  /// The number of the newest matches among which the best ones are looked for.
  package static let rankLimit = 5000

  /// A message that was found.
  package struct Match: Hashable, Sendable {
    package let id: Message.ID
    package let conversation: JID
    package let sentAt: Date
    /// Its rank where the best matches are first: lower is better.
    package let rank: Double

    package init(id: Message.ID, conversation: JID, sentAt: Date, rank: Double = 0) {
      self.id = id
      self.conversation = conversation
      self.sentAt = sentAt
      self.rank = rank
    }
  }

  /// In order, newest or best first.
  package var matches: [Match]
  /// The number of all matches; `countLimit`: there are that many, or more.
  package var count: Int
  /// The time of the newest message that the index, while it is built, does not have; messages up
  /// to it are not searched. `nil`: it is complete.
  package var missingUpTo: Date?

  package init(matches: [Match] = [], count: Int = 0, missingUpTo: Date? = nil) {
    self.matches = matches
    self.count = count
    self.missingUpTo = missingUpTo
  }
}

/// Searches the account's archive on the server for messages that are not stored here (XEP-0431).
package protocol ServerSearching: Sendable {
  /// Returns whether the server offers it; the server learns nothing.
  func searchOffer() async -> ServerSearchOffer

  /// Asks the server for the newest messages that have the terms of `query`, and were sent between
  /// its times: it learns the terms. A server has its own idea of a match, and no other filter
  /// applies: the caller checks what it returns. Nothing is stored.
  /// - Throws: `NatterError` if it is not known which of them are stored.
  func searchServer(for query: SearchQuery, limit: Int) async throws -> ServerSearchOutcome

  /// Fetches a message that was found, and those that follow it, unless they are stored; what is
  /// missing between them and others is a gap.
  /// - Throws: `NatterError` if they could not be stored.
  func fetchSurroundings(of match: ServerMatch) async throws -> HistoryOutcome
}

/// A message that only the server has.
package struct ServerMatch: Hashable, Sendable {
  /// The archive's id, opaque.
  package let id: String
  /// The time at which the archive stored it.
  package let stamp: Date
  /// The message as it would be stored, without a row.
  package let message: Message

  package init(id: String, stamp: Date, message: Message) {
    (self.id, self.stamp, self.message) = (id, stamp, message)
  }
}

/// The knowledge of a server's offer to search the account's archive.
package enum ServerSearchOffer: Hashable, Sendable {
  case offered, notOffered
  /// There is no connection, or no answer.
  case offline
  /// The session is being set up: nothing was asked.
  case early
}

/// The result of a search on the server.
package enum ServerSearchOutcome: Hashable, Sendable {
  /// Messages that are not stored here, oldest first.
  /// - Parameter isComplete: whether the server has no others.
  case found([ServerMatch], isComplete: Bool)
  /// The server offers no search, or refuses this one.
  case notOffered
  /// There is no connection, or no answer.
  case offline
  /// The session is being set up: nothing was asked.
  case early
}
