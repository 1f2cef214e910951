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
  /// The bytes of the objects in memory: that of the newest message, and so many before it.
  static let memoryBytes = 4 << 20
  /// The messages of a page.
  static let pageSize = 200
  /// The bytes after which a page ends.
  static let pageBytes = 1 << 20
  /// The age relative to the message of a cursor from which stored messages count as history.
  static let historyAge: TimeInterval = 86_400
  /// The time after which a message that no event announced is sent nevertheless.
  static let patience = Duration.seconds(5)

  /// A message in memory. Others choose how long messages are, so only some have their text.
  private struct HeldMessage {
    let id: Message.ID
    let conversation: JID
    let kind: Conversation.ConversationKind
    let isHistory: Bool
    var text: String?
  }

  private let account: JID
  private let stores: BridgeStores
  private let inbox = SerialInbox<SingleLane>()

  private var followers = 0
  /// The id up to which everything was read; `nil` without followers.
  private var mark: Message.ID?
  /// The newest messages up to `mark`, without gaps.
  private var entries: [HeldMessage] = []
  /// The bytes of their texts.
  private(set) var textBytes = 0
  /// The index of the first that has its text.
  private var textStart = 0
  /// The messages that are read from the store for a page: fewer while they are long.
  private var rowsAtOnce = MessageFeed.pageSize
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
        (textBytes, textStart) = (0, 0)
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
    entries.append(
      HeldMessage(
        id: entry.id, conversation: entry.conversation, kind: entry.kind,
        isHistory: entry.isHistory, text: entry.text))
    mark = entry.id
    textBytes += entry.text.utf8.count
    while textBytes > Self.memoryBytes, textStart < entries.count - 1 { dropText() }
    if entries.count > 2 * Self.memory {
      let surplus = entries.count - Self.memory
      while textStart < surplus { dropText() }
      entries.removeFirst(surplus)
      textStart -= surplus
      start = Message.ID(entries[0].id.rawValue - 1)
    }
  }

  /// Removes the oldest text.
  private func dropText() {
    textBytes -= entries[textStart].text?.utf8.count ?? 0
    entries[textStart].text = nil
    textStart += 1
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
    return cursor >= start
      ? try await heldPage(after: cursor, upTo: mark)
      : try await storedPage(after: cursor, upTo: start, historyBefore: historyBefore)
  }

  /// Returns the next messages of those in memory.
  private func heldPage(after cursor: Message.ID, upTo mark: Message.ID) async throws -> Page {
    let index = entries.partitioningIndex { $0.id > cursor }
    var (page, size, end) = ([Entry](), 0, mark)
    for held in Array(entries[index...].prefix(Self.pageSize)) {
      guard size < Self.pageBytes else { break }
      end = held.id
      var text = held.text
      if text == nil, let message = try await stores.timeline.storedMessage(held.id) {
        text =
          try await stores.object(
            message, of: account, in: held.kind, isHistory: held.isHistory
          ).text
      }
      // It may have been removed meanwhile.
      guard let text else { continue }
      size += text.utf8.count
      page.append(
        Entry(
          id: held.id, conversation: held.conversation, kind: held.kind,
          isHistory: held.isHistory, text: text))
    }
    return Page(entries: page, end: end)
  }

  /// Returns the next messages of the store, of those before the ones in memory.
  /// - Parameter start: the id after which those in memory begin. Later ones come from memory,
  ///   where it is known whether they are history; what `self.start` is after a suspension may be
  ///   behind messages that were not read.
  private func storedPage(
    after cursor: Message.ID, upTo start: Message.ID, historyBefore: Date?
  ) async throws -> Page {
    let limit = rowsAtOnce
    let rows = try await stores.log.messages(storedAfter: cursor, limit: limit)
    var (page, size) = ([Entry](), 0)
    for row in rows where row.message.id <= start && size < Self.pageBytes {
      let isHistory = historyBefore.map { row.message.sentAt < $0 } ?? false
      let entry = try await entry(row, isHistory: isHistory)
      page.append(entry)
      size += entry.text.utf8.count
    }
    let isCut = size >= Self.pageBytes
    rowsAtOnce = isCut ? page.count : min(Self.pageSize, 2 * limit)
    return Page(
      entries: page, end: isCut || page.count == limit ? page.last?.id ?? cursor : start)
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
