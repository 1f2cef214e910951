import FoundationEssentials
import XMPP

/// The position of a message in an archive (XEP-0313).
package struct ArchivePosition: Hashable, Sendable {
  /// The archive's id, opaque; empty for the position before the first message of an archive that
  /// was empty.
  package var id: String
  /// The stored time of sending of that message. UTC.
  package var at: Date

  package init(id: String, at: Date) {
    self.id = id
    self.at = at
  }
}

/// A part of an archive of which every message is stored, both ends included. Between two ranges of
/// one archive is a gap.
package struct ArchiveRange: Hashable, Sendable {
  /// Seconds between two ranges, and between messages that are stored next to each other: two of
  /// the database's units, so that a rounded time stays on its side.
  package static let step: TimeInterval = 0.000_002
  /// Seconds behind the older side of a gap that stay free, for thousands of the messages that are
  /// still missing.
  package static let space: TimeInterval = 0.005

  /// The row; `nil` if it is not stored yet.
  package var row: Int64?
  /// The archive's owner: the bare address of the account or of a room.
  package let archive: JID
  /// The conversation that the range is limited to; `nil`: the whole archive.
  package let peer: JID?
  package var start: ArchivePosition
  package var end: ArchivePosition
  /// Indicates whether the archive has nothing before it.
  package var reachesBeginning: Bool
  /// The archive's id of its last message that is known not to be local: messages after the range
  /// come after that one, even if the end of the range is not reliable as a position. If all of its
  /// messages are local, the id of one of those. `nil`: keeps the stored value.
  package var anchor: String?

  package init(
    row: Int64? = nil, archive: JID, peer: JID? = nil, start: ArchivePosition, end: ArchivePosition,
    reachesBeginning: Bool, anchor: String? = nil
  ) {
    self.row = row
    self.archive = archive
    self.peer = peer
    self.start = start
    self.end = end
    self.reachesBeginning = reachesBeginning
    self.anchor = anchor
  }
}

/// The position of a page of an archive relative to the stored messages.
package enum ArchiveAdjacency: Hashable, Sendable {
  /// Not known: the page was requested by time.
  case unknown
  /// The page is adjacent to its range, and precedes the messages with the archive ids `later`:
  /// they arrived since the page was requested, and were not part of it.
  case beside(later: Set<String>)
}

/// Stores messages from archives, and the ranges that are complete.
package protocol ArchiveStoring: Sendable {
  /// Returns the ranges of `archive` limited to `peer`, or those of the whole archive; oldest
  /// first.
  func ranges(of archive: JID, with peer: JID?) async throws -> [ArchiveRange]
  /// Stores `messages` as `MessageStoring.insert` does, and the resulting `range`, in one
  /// transaction.
  /// - Returns: the result for the messages, and the range with its row.
  /// - Throws: `StorageError`; then neither is stored.
  /// - Parameters:
  ///   - absorbed: stored ranges that `range` includes: they are removed.
  ///   - isStart: indicates whether the range begins with the first of `messages`, at the time with
  ///     which that is stored.
  ///   - adjacency: the position of `messages` relative to the stored part of `range`.
  func insert(
    _ messages: [IncomingMessage], making range: ArchiveRange, absorbing absorbed: [ArchiveRange],
    beginningWithFirst isStart: Bool, adjoining adjacency: ArchiveAdjacency,
    countsUnread: @Sendable (IncomingMessage) -> Bool
  ) async throws -> (stored: StoredMessages, range: ArchiveRange)
  /// Checks local messages that the server has accepted. Messages that were received before the
  /// acknowledgement and are stored after a local one crossed it on the way: only the account's
  /// archive has their order. Rooms are excluded: they send the order themselves.
  /// - Parameters:
  ///   - messages: `nil`: all that were not checked yet.
  ///   - date: the earliest time of sending.
  /// - Returns: the positions of the last messages that were received before those that others
  ///   crossed, oldest first; with an empty id if nothing was received before.
  func positions(beforeCrossed messages: [Message.ID]?, since date: Date) async throws
    -> [ArchivePosition]
  /// Returns the stored time of sending of the message with `id` in the archive of the account or a
  /// room; `nil` if it is not stored.
  func storedTime(of id: String, in archive: JID) async throws -> Date?
  /// Returns the end of `range` by the stored time of its last message: its own end stops where the
  /// next range begins. The times of local messages are not used for that.
  func storedEnd(of range: ArchiveRange) async throws -> Date
}

/// Reads in which way stored messages arrived, to compare them with an archive.
package protocol ArrivalReading: Sendable {
  /// Returns the time of the newest message after `date` that another client of this account sent
  /// to `conversation`; `nil` if there is none.
  func newestOutgoing(in conversation: JID, after date: Date) async throws -> Date?
  /// Returns the position of the newest received message of `conversation` within each of `gaps`;
  /// `nil` if there is none.
  func newestReceived(in conversation: JID, between gaps: [(after: Date, before: Date)])
    async throws -> [ArchivePosition?]
  /// Returns the conversations in which a message was received before `date`.
  func conversations(receivedBefore date: Date) async throws -> [JID]
  /// Returns the times of the first and the last message of `conversation` between two times that
  /// the account's server stored before delivering them; `nil` if there is none.
  func kept(in conversation: JID, after: Date, before: Date) async throws -> ClosedRange<Date>?
  /// Returns those of `originIDs` that are ids of local messages.
  func localIDs(among originIDs: [String]) async throws -> Set<String>
}

/// The progress of the search through the account's archive for correspondents that no list has.
package enum ArchiveSearchProgress: Hashable, Sendable {
  /// Back to this position.
  case reached(ArchivePosition)
  /// All of it, or as much as is searched.
  case complete
}

/// Stores the progress of reading the account's archive that its ranges do not have.
package protocol ArchiveProgressStoring: Sendable {
  /// Returns the progress of the search for correspondents; `nil`: it has not begun.
  func searchProgress() async throws -> ArchiveSearchProgress?
  func setSearchProgress(_ progress: ArchiveSearchProgress) async throws
  /// Returns the deliveries of sessions that ended before the archive was read.
  func offlineDeliveries() async throws -> OfflineDeliveryLog
  func setOfflineDeliveries(_ deliveries: OfflineDeliveryLog) async throws
}

/// The result of fetching older history.
package enum HistoryOutcome: Hashable, Sendable {
  /// The database has more messages now.
  case fetched
  /// The archive has nothing older, or there is no archive.
  case beginning
  /// There is no connection to request it.
  case offline
  /// The room refuses it, although its archive may have it.
  case refused(HistoryRefusal)
}

/// The reason why a room refuses its archive. The refusal is lasting: the room is asked again only
/// after it was joined again, or on a request of the user.
package struct HistoryRefusal: Hashable, Sendable {
  /// The cause of the refusal, by the error condition.
  package enum Cause: Hashable, Sendable {
    /// The account has no permission to read it.
    case forbidden
    /// There is no archive, although the room announces one.
    case absent
    case other
  }

  package let cause: Cause
  /// The error text of the room, or the name of the error if there is none. Untrusted.
  package let reason: String
  /// The entity that sent the text; `nil` if none or not known.
  package let speaker: JID?

  package init(_ cause: Cause, reason: String = "", speaker: JID? = nil) {
    self.cause = cause
    self.reason = reason
    self.speaker = speaker
  }

  /// The refusal for an error of the room (RFC 6120 §8.3.3).
  package init(_ error: StanzaError) {
    switch error.condition {
    case .forbidden, .notAllowed, .notAuthorized, .registrationRequired, .subscriptionRequired:
      cause = .forbidden
    case .featureNotImplemented, .serviceUnavailable, .itemNotFound: cause = .absent
    default: cause = .other
    }
    let text = error.text.flatMap { $0.isEmpty ? nil : $0 }
    reason = text ?? (cause == .other ? error.explanation : "")
    speaker = text == nil || error.isDoubtful ? nil : error.speaker
  }
}

/// A gap in the stored messages of a conversation: messages may be missing between the two
/// positions (`MessagePosition.time`).
package struct HistoryHole: Hashable, Sendable {
  /// The position of the last known message before it.
  package let after: Date
  /// The position of the first known message after it.
  package let before: Date
  /// The approximate number of missing messages; `nil` if the server has not reported it.
  package let count: Int?

  package init(after: Date, before: Date, count: Int? = nil) {
    self.after = after
    self.before = before
    self.count = count
  }
}

/// Fetches the missing parts of a conversation's history (flows.md, "Receiving").
package protocol HistoryFetching: Sendable {
  /// Fetches a page of messages before the oldest known one of `conversation` (scrolling back).
  ///
  /// Asks a room that has refused its archive once more.
  /// - Returns: `.fetched` if messages were stored; they are published as
  ///   `DomainEvent.historyStored`.
  /// - Throws: `NatterError` if they could not be stored.
  func fetchOlder(in conversation: JID) async throws -> HistoryOutcome
  /// Returns the known gaps of `conversation`, oldest first, without a request to the server. If a
  /// room refuses its archive, the time before it was joined is a gap, until messages of the room
  /// follow.
  /// - Throws: `NatterError` if they could not be read.
  func holes(in conversation: JID) async throws -> [HistoryHole]
  /// Asks the server for the number of missing messages.
  /// - Returns: `hole` with its count if the server reports it, otherwise unchanged.
  func counted(_ hole: HistoryHole, in conversation: JID) async -> HistoryHole
  /// Fetches the newest page of the messages missing in `hole`.
  ///
  /// Asks a room that has refused its archive once more.
  /// - Returns: `.fetched` if the gap shrank or closed, `.beginning` if the archive has nothing to
  ///   fill it with.
  /// - Throws: `NatterError` if the page could not be stored.
  func fetchMissing(in hole: HistoryHole, of conversation: JID) async throws -> HistoryOutcome
  /// Fetches the first messages of `conversation` from a time on, unless they are stored; what is
  /// missing between them and others is a gap.
  /// - Parameter start: `nil`: the first messages of all.
  /// - Returns: `.fetched` if what the archive has there is stored now, `.beginning` if it has
  ///   nothing to return.
  /// - Throws: `NatterError` if the page could not be stored.
  func fetch(from start: Date?, in conversation: JID) async throws -> HistoryOutcome
  /// Returns `false` if the server, or the room, has no archive with the messages of
  /// `conversation`, as far as this session knows: what is stored is all there is.
  func hasArchive(of conversation: JID) async -> Bool
  /// Indicates whether there is a connection whose session is not set up yet: what is `.offline`
  /// now was not requested, and can be requested in a moment.
  func isSigningIn() async -> Bool
  /// Waits while `isSigningIn` holds, or until the task is cancelled.
  func signedIn() async
}

extension HistoryFetching {
  package func hasArchive(of conversation: JID) async -> Bool { true }
  package func isSigningIn() async -> Bool { false }
  package func signedIn() async {}

  package func fetch(from start: Date?, in conversation: JID) async throws -> HistoryOutcome {
    .beginning
  }
}

/// Synchronizes the archives of rooms, like that of the account (XEP-0313 §5.1.3).
package protocol RoomArchiveSyncing: Sendable {
  /// Handles a join or rejoin of the room; returns once all messages since the last visit are
  /// stored.
  /// - Parameters:
  ///   - view: the account's membership, with the number of the visit.
  ///   - hasArchive: indicates whether the room announces an archive.
  func roomEntered(_ room: JID, as view: RoomMembership, hasArchive: Bool) async
  /// Handles the end of a visit: later messages of the room are missing from now on.
  func roomLeft(_ room: JID) async
}
