import FoundationEssentials
import XMPP

/// A message's place in an archive (XEP-0313).
package struct ArchivePosition: Hashable, Sendable {
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
  /// Seconds that are left between two ranges, and between messages that are put next to each other: two of the database's
  /// units, so that a time that was rounded stays on its side.
  package static let step: TimeInterval = 0.000_002

  /// Its row; `nil` when it is not stored yet.
  package var row: Int64?
  /// Whose archive: the account's or a room's bare address.
  package let archive: JID
  /// The conversation that it is about; `nil`: all that the archive holds.
  package let peer: JID?
  package var start: ArchivePosition
  package var end: ArchivePosition
  /// Whether nothing lies before it in the archive.
  package var reachesBeginning: Bool
  /// The archive's id of a message in it, the last one that is known not to have been typed here: what comes after the range
  /// comes after that, even where its end is no measure. Where all of its messages were typed here, one of those. `nil`: the one
  /// that is stored.
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

/// What a page of an archive is next to, of what is stored.
package enum ArchiveAdjacency: Hashable, Sendable {
  /// Nobody knows: it was asked for by time.
  case unknown
  /// It comes right before or right after its range, and before the messages that the archive knows by the ids `later`: they came
  /// since it is read, and were not read.
  case beside(later: Set<String>)
}

/// Keeps what came from archives, and which parts of them are complete.
package protocol ArchiveStoring: Sendable {
  /// The ranges of `archive` about `peer`, or those about everything; oldest first.
  func ranges(of archive: JID, with peer: JID?) async throws -> [ArchiveRange]
  /// Stores `messages` as `MessageStoring.insert` does, and `range` as it is with them, in one transaction.
  /// - Returns: what became of the messages, and the range with its row.
  /// - Throws: `StorageError`; then neither is stored.
  /// - Parameters:
  ///   - absorbed: stored ranges that `range` takes in: they are removed with it.
  ///   - isStart: whether the range begins with the first of `messages`, at the time that this is stored with.
  ///   - adjacency: what `messages` are next to, of what is stored of `range`.
  func insert(
    _ messages: [IncomingMessage], making range: ArchiveRange, absorbing absorbed: [ArchiveRange],
    beginningWithFirst isStart: Bool, adjoining adjacency: ArchiveAdjacency,
    countsUnread: @Sendable (IncomingMessage) -> Bool
  ) async throws -> (stored: StoredMessages, range: ArchiveRange)
  /// When the newest message that another client of this account sent to `conversation` after `date` was sent; `nil` when
  /// there is none.
  func newestOutgoing(in conversation: JID, after date: Date) async throws -> Date?
  /// Where the newest message is that was received in `conversation` in each of `gaps`, between its ends; `nil` when there is none.
  func newestReceived(in conversation: JID, between gaps: [(after: Date, before: Date)])
    async throws -> [ArchivePosition?]
  /// Looks at messages that were typed here and are at the server by now. What was received before the server said so and stands
  /// behind them crossed them on the way: only the account's archive tells which came first. Rooms tell by themselves.
  /// - Parameters:
  ///   - messages: `nil`: all that were not looked at yet.
  ///   - date: when they were sent at the earliest.
  /// - Returns: where the last messages are that were received before those that something crossed, oldest first; the id of one is
  ///   empty where nothing was.
  func places(beforeCrossed messages: [Message.ID]?, since date: Date) async throws
    -> [ArchivePosition]
  /// The conversations in which something was received before `date`.
  func conversations(receivedBefore date: Date) async throws -> [JID]
  /// When the first and the last message in `conversation` between two times were sent that the account's server had kept before it
  /// delivered them; `nil` when there is none.
  func kept(in conversation: JID, after: Date, before: Date) async throws -> ClosedRange<Date>?
  /// When the message that `archive`, the account's or a room's, knows by `id` was sent, as it is stored; `nil` where it is not.
  func storedTime(of id: String, in archive: JID) async throws -> Date?
  /// When `range` ends, by the time that is stored of what it ends with: its own stops where the next range begins. When something
  /// was typed here tells nothing of that.
  func storedEnd(of range: ArchiveRange) async throws -> Date
  /// Those of `originIDs` that are of messages typed in this client.
  func typedHere(among originIDs: [String]) async throws -> Set<String>
}

/// What a fetch of older history came to.
package enum HistoryOutcome: Hashable, Sendable {
  /// There is more in the database now.
  case fetched
  /// The archive holds nothing older, or there is no archive.
  case beginning
  /// It could not be asked.
  case offline
  /// The room does not give it, though it may have it.
  case refused(HistoryRefusal)
}

/// Why a room does not give what its archive holds. It says so for good: it is asked again only when it is entered again, or when
/// somebody looks.
package struct HistoryRefusal: Hashable, Sendable {
  package enum Cause: Hashable, Sendable {
    /// The account may not read it.
    case forbidden
    /// There is none, whatever the room announces.
    case absent
    case other
  }

  package let cause: Cause
  /// The room's own words, or the name of the error where it has none. From outside.
  package let words: String
  /// Who says them; `nil`: nobody, or nobody knows.
  package let speaker: JID?

  package init(_ cause: Cause, words: String = "", speaker: JID? = nil) {
    self.cause = cause
    self.words = words
    self.speaker = speaker
  }

  /// What an error says (RFC 6120 §8.3.3).
  package init(_ error: StanzaError) {
    switch error.condition {
    case .forbidden, .notAllowed, .notAuthorized, .registrationRequired, .subscriptionRequired:
      cause = .forbidden
    case .featureNotImplemented, .serviceUnavailable, .itemNotFound: cause = .absent
    default: cause = .other
    }
    let text = error.text.flatMap { $0.isEmpty ? nil : $0 }
    words = text ?? (cause == .other ? error.explanation : "")
    speaker = text == nil ? nil : error.speaker
  }
}

/// A part of a conversation's past that is known to be missing: messages may lie between the two times.
package struct HistoryHole: Hashable, Sendable {
  /// When the last known message before it was sent, as it is stored here. UTC.
  package let after: Date
  /// When the first known message after it was sent.
  package let before: Date
  /// About how many messages are missing; `nil` when the server has not told.
  package let count: Int?

  package init(after: Date, before: Date, count: Int? = nil) {
    self.after = after
    self.before = before
    self.count = count
  }
}

/// Fetches what the database does not have of a conversation's past (flows.md, "Receiving").
package protocol HistoryFetching: Sendable {
  /// Fetches a page of messages before the oldest that is known of `conversation` ("scrolling back").
  ///
  /// A room that has refused its archive is asked once more.
  /// - Returns: `.fetched` when messages were stored; they are announced as `DomainEvent.historyStored`.
  /// - Throws: `NatterError` when they could not be stored.
  func fetchOlder(in conversation: JID) async throws -> HistoryOutcome
  /// The holes in what is known of `conversation`, oldest first. It does not ask the server. Where a room refuses its archive,
  /// what was said before it was entered is one, until what is said in it follows.
  /// - Throws: `NatterError` when they could not be read.
  func holes(in conversation: JID) async throws -> [HistoryHole]
  /// Asks the server how much is missing.
  /// - Returns: `hole` with its count where the server tells, else as it is.
  func counted(_ hole: HistoryHole, in conversation: JID) async -> HistoryHole
  /// Fetches a page of what is missing in `hole`, its newest part.
  ///
  /// A room that has refused its archive is asked once more.
  /// - Returns: `.fetched` when the hole is smaller now or gone, `.beginning` when there is nothing to fill it with.
  /// - Throws: `NatterError` when it could not be stored.
  func fetchMissing(in hole: HistoryHole, of conversation: JID) async throws -> HistoryOutcome
}

/// Keeps the archives of rooms in step, as that of the account (XEP-0313 §5.1.3).
package protocol RoomArchiveSyncing: Sendable {
  /// The room was entered, for the first time or again; it returns once what came since the last visit is stored.
  /// - Parameters:
  ///   - view: what the account is there, and in which visit.
  ///   - hasArchive: whether the room announces one.
  func roomEntered(_ room: JID, as view: RoomMembership, hasArchive: Bool) async
  /// The account is not in the room any more: what is said there is missing from now on.
  func roomLeft(_ room: JID) async
}
