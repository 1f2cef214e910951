import FoundationEssentials
import XMPP

/// A message's place in an archive (XEP-0313).
package struct ArchivePlace: Hashable, Sendable {
  /// The archive's id, opaque; empty for the place before everything in an archive that held nothing.
  package var id: String
  /// When that message was sent, as it is stored here. UTC.
  package var at: Date

  package init(id: String, at: Date) {
    self.id = id
    self.at = at
  }
}

/// A part of an archive of which every message is in the database, both ends included. Between two ranges of one archive
/// is a hole.
package struct ArchiveRange: Hashable, Sendable {
  /// Its row; `nil` when it is not stored yet.
  package var row: Int64?
  /// Whose archive: the account's or a room's bare address.
  package let archive: JID
  /// The conversation that it is about; `nil`: all that the archive holds.
  package let peer: JID?
  package var start: ArchivePlace
  package var end: ArchivePlace
  /// Whether nothing lies before it in the archive.
  package var reachesBeginning: Bool

  package init(
    row: Int64? = nil, archive: JID, peer: JID? = nil, start: ArchivePlace, end: ArchivePlace,
    reachesBeginning: Bool
  ) {
    self.row = row
    self.archive = archive
    self.peer = peer
    self.start = start
    self.end = end
    self.reachesBeginning = reachesBeginning
  }
}

/// Keeps what came from archives, and which parts of them are complete.
package protocol ArchiveStoring: Sendable {
  /// The ranges of `archive` about `peer`, or those about everything; oldest first.
  func ranges(of archive: JID, with peer: JID?) async throws -> [ArchiveRange]
  /// Stores `messages` as `MessageStoring.insert` does, and `range` as it is with them, in one transaction.
  /// - Returns: what became of the messages, and the range with its row.
  /// - Throws: `StorageError`; then neither is stored.
  func insert(
    _ messages: [IncomingMessage], making range: ArchiveRange,
    countsUnread: @Sendable (IncomingMessage) -> Bool
  ) async throws -> (stored: StoredMessages, range: ArchiveRange)
}

/// What a fetch of older history came to.
package enum HistoryOutcome: Hashable, Sendable {
  /// There is more in the database now.
  case fetched
  /// The archive holds nothing older, or there is no archive.
  case beginning
  /// It could not be asked.
  case offline
}

/// Fetches what the database does not have of a conversation's past (FLOWS.md 5, "scrolling back").
package protocol HistoryFetching: Sendable {
  /// Fetches a page of messages before the oldest that is known of `conversation`.
  /// - Returns: `.fetched` when messages were stored; they are announced as `DomainEvent.historyStored`.
  /// - Throws: `NatterError` when they could not be stored.
  func fetchOlder(in conversation: JID) async throws -> HistoryOutcome
}
