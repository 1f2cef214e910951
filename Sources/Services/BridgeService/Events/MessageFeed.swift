import FoundationEssentials
import JSONLines
import NatterCore
import XMPP

/// Provides the messages of an account in the order in which they were stored, for the
/// subscriptions of all clients: the newest from memory, older ones from the store.
///
/// Events of the hub only announce messages. Two writers may publish in another order than they
/// stored, so everything is read by id, and read once for all clients.
actor MessageFeed {
  /// A message, ready to be sent to clients.
  struct Entry: Sendable {
    let id: Message.ID
    let conversation: JID
    let kind: Conversation.ConversationKind
    /// Indicates whether it came from an archive, long after it was sent.
    let isHistory: Bool
    /// The object of the message, as JSON.
    let text: String
  }

  /// A part of the messages, by id.
  struct Page: Sendable {
    let entries: [Entry]
    /// The id up to which nothing is missing.
    let end: Message.ID
  }

  /// The number of messages in memory.
  static let memory = 1000
  /// The messages of a page.
  static let pageSize = 200
  /// The age relative to the message of a cursor from which stored messages count as history.
  static let historyAge: TimeInterval = 86_400
  /// The time after which a message that no event announced is sent nevertheless.
  static let patience = Duration.seconds(5)

  private let account: JID
  private let stores: BridgeStores
  private let inbox = SerialInbox<SingleLane>()

  private var followers = 0
  /// The id up to which everything was read; `nil` without followers.
  private var mark: Message.ID?
  /// The newest messages up to `mark`, without gaps.
  private var entries: [Entry] = []
  /// The id after which `entries` begin.
  private var start = Message.ID(0)
  /// The messages after `mark` that events announced, with whether each is history.
  private var announced: [Message.ID: Bool] = [:]
  /// The messages that were stored when one was missed, up to this id, and since when their
  /// announcements are waited for.
  private var awaited: (upTo: Message.ID, since: Duration)?

  init(of account: JID, _ stores: BridgeStores) {
    (self.account, self.stores) = (account, stores)
  }

  /// Adds a follower, which has subscribed to the events of the hub before, and passes those about
  /// messages to `note`.
  /// - Returns: the id of the message that was stored last.
  func begin() async throws -> Message.ID {
    followers += 1
    do {
      return try await inbox.run {
        if let mark { return mark }
        let newest = try await stores.log.newestMessage()
        (mark, start, entries) = (newest, newest, [])
        announced = announced.filter { $0.key > newest }
        return newest
      }
    } catch {
      end()
      throw error
    }
  }

  /// Removes a follower.
  func end() {
    followers -= 1
    guard followers == 0 else { return }
    (mark, entries, awaited, announced) = (nil, [], nil, [:])
  }

  /// Handles the announcement of stored messages: reads them, and all before them.
  /// - Parameters:
  ///   - ids: empty: only reads what has waited for long enough.
  ///   - now: of a clock that never goes back.
  /// - Returns: whether some wait for the announcement of others, and are to be read after
  ///   `patience`.
  func note(_ ids: [Message.ID], isHistory: Bool, at now: Duration) async throws -> Bool {
    for id in ids where id > mark ?? Message.ID(.min) { announced[id] = isHistory }
    let newest = ids.max()
    return try await inbox.run {
      guard let mark, newest ?? Message.ID(.max) > mark else { return false }
      return try await read(at: now)
    }
  }

  /// - Returns: whether it has ended before a message that was not announced yet.
  private func read(at now: Duration) async throws -> Bool {
    while let from = mark {
      let rows = try await stores.log.messages(storedAfter: from, limit: Self.pageSize)
      for row in rows {
        let id = row.message.id
        guard let isHistory = announced[id] ?? guess(row, of: rows, at: now) else { return true }
        let entry = try await entry(row, isHistory: isHistory)
        // The last follower may have left meanwhile.
        guard mark != nil else { return false }
        announced[id] = nil
        append(entry)
      }
      if rows.count < Self.pageSize { return false }
    }
    return false
  }

  /// Returns whether a message is history that no event has announced; `nil`: an event is about to
  /// announce it.
  private func guess(_ row: LoggedMessage, of rows: [LoggedMessage], at now: Duration) -> Bool? {
    let id = row.message.id
    guard let awaited, id <= awaited.upTo else {
      // A run of them waits once.
      awaited = (rows.last?.message.id ?? id, now)
      return nil
    }
    guard now - awaited.since >= Self.patience else { return nil }
    return row.message.sentAt < Date(timeIntervalSinceNow: -Self.historyAge)
  }

  private func append(_ entry: Entry) {
    entries.append(entry)
    mark = entry.id
    if entries.count > 2 * Self.memory {
      entries.removeFirst(entries.count - Self.memory)
      start = Message.ID(entries[0].id.rawValue - 1)
    }
  }

  private func entry(_ row: LoggedMessage, isHistory: Bool) async throws -> Entry {
    let line = try await stores.object(
      row.message, of: account, in: row.kind, isHistory: isHistory)
    return Entry(
      id: row.message.id, conversation: row.message.conversation, kind: row.kind,
      isHistory: isHistory, text: line.text)
  }

  /// Returns the next messages after `cursor`.
  /// - Parameter historyBefore: the time of sending before which stored messages count as history;
  ///   `nil`: none of them does.
  func page(after cursor: Message.ID, historyBefore: Date?) async throws -> Page {
    guard let mark, cursor < mark else { return Page(entries: [], end: cursor) }
    if cursor >= start {
      let index = entries.partitioningIndex { $0.id > cursor }
      let page = Array(entries[index...].prefix(Self.pageSize))
      return Page(entries: page, end: page.last?.id ?? mark)
    }
    let rows = try await stores.log.messages(storedAfter: cursor, limit: Self.pageSize)
    var page: [Entry] = []
    // Later ones come from memory, where it is known whether they are history.
    for row in rows where row.message.id <= start {
      let isHistory = historyBefore.map { row.message.sentAt < $0 } ?? false
      page.append(try await entry(row, isHistory: isHistory))
    }
    let isWhole = page.count == Self.pageSize
    return Page(entries: page, end: isWhole ? page.last?.id ?? cursor : start)
  }

  /// Returns the time before which messages after `cursor` count as history; `nil`: none do.
  func historyLimit(after cursor: Message.ID, now: Date) async throws -> Date? {
    try await stores.log.timeOfMessage(upTo: cursor).map {
      min($0, now).addingTimeInterval(-Self.historyAge)
    }
  }
}

extension Array {
  /// Returns the first index whose element satisfies `predicate`, as all after it do.
  fileprivate func partitioningIndex(_ predicate: (Element) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if predicate(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
