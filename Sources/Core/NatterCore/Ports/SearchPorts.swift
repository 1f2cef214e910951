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
