import FoundationEssentials
import NatterCore
import XMPP

/// The part of a conversation that is in memory: in order, without duplicates, limited in size.
nonisolated struct TimelineWindow {
  static let pageSize = 60
  static let limit = 480
  /// The bytes of text in memory, unless a single page has more.
  static let byteLimit = 6 << 20

  /// In order, oldest first.
  private(set) var messages: [Message] = []
  /// True if the database may have messages before the first here, or after the last.
  private(set) var hasOlder = false
  private(set) var hasNewer = false
  /// The highest id that was ever here.
  private var newestID = Message.ID(0)
  /// The message whose whole text is shown.
  private var expanded: Message.ID?
  /// The search hit, which is highlighted.
  var marked: Message.ID?
  /// The search terms that found it.
  var sought: [String] = []
  /// The last request to go to a message that may have to be fetched first.
  var request: UUID?

  /// Starts again with the newest page; messages announced since the page was read stay.
  mutating func replace(withLatest page: [Message], announced: [Message.ID: Message]) {
    hasOlder = page.count >= Self.pageSize
    hasNewer = false
    let kept = messages.filter { islands.contains($0.id) }
    messages = page
    newestID = page.map(\.id).max() ?? Message.ID(0)
    insert(kept, announced)
    follow(page)
    merge(announced.values.sorted { $0.position < $1.position })
  }

  /// Messages that stayed when the view was cleared: those between them are not loaded.
  private var islands: Set<Message.ID> = []
  /// The oldest message after which the window is complete.
  var oldest: Message? {
    islands.isEmpty ? messages.first : messages.first { !islands.contains($0.id) }
  }
  /// True if the view was cleared and no message has arrived since.
  var isCleared: Bool { oldest == nil && hasOlder }
  /// The time of the clearing: older incidents stay hidden while no message of that time is shown.
  private(set) var clearedAt: Date?

  /// The first of the visits since the last jump that ended only because what is loaded was read
  /// again: the user ended none of them.
  private var renewedVisit: Int?

  /// True if the view was cleared and nothing of before is shown again.
  var isPastHidden: Bool {
    guard let clearedAt, hasOlder else { return false }
    return oldest.map { $0.position.time >= clearedAt } ?? true
  }

  /// Clears the view; the database keeps everything. Unsent messages stay, because the user has to
  /// deal with them.
  mutating func clear(at date: Date) {
    messages = messages.filter(\.isUnsettled)
    islands = Set(messages.map(\.id))
    (hasOlder, hasNewer, clearedAt, renewedVisit) = (true, false, date, nil)
  }

  /// Remembers a visit that ends when what is loaded is read again.
  mutating func renew(_ visit: Int) { renewedVisit = renewedVisit ?? visit }

  /// Returns whether the user is still where they were in an earlier visit.
  func isRenewed(since visit: Int) -> Bool { renewedVisit.map { $0 <= visit } ?? false }

  /// Forgets earlier visits: the user has gone elsewhere.
  mutating func leaveVisits() { renewedVisit = nil }

  /// Starts again with the messages around a given one.
  mutating func replace(with page: [Message], hasOlder: Bool, hasNewer: Bool) {
    (messages, self.hasOlder, self.hasNewer, islands) = (page, hasOlder, hasNewer, [])
    newestID = page.map(\.id).max() ?? Message.ID(0)
  }

  /// Starts again with a page on each side of a position; messages announced since they were read
  /// stay.
  /// - Parameter older: the number of messages of a full page before it.
  mutating func replace(
    with page: [Message], around position: MessagePosition, older: Int = Self.pageSize,
    announced: [Message.ID: Message] = [:]
  ) {
    let whole = expanded.flatMap { id in messages.first { $0.id == id && !$0.isShortened } }
    replace(
      with: [], hasOlder: page.count { $0.position < position } >= older,
      hasNewer: page.count { $0.position > position } >= Self.pageSize)
    insert(page, announced)
    // The pages were read one after the other: messages may have come between those of each.
    merge(announced.values.sorted { $0.position < $1.position })
    // The user may be in the middle of it.
    guard let whole, messages.contains(where: { $0.id == whole.id && $0.edit == whole.edit })
    else { return }
    expand(whole.id, to: whole.body)
  }

  /// - Parameter page: a page, or several that follow each other: only the oldest page of the
  ///   database is not full.
  mutating func prepend(_ page: [Message], announced: [Message.ID: Message]) {
    let edge = oldest?.position
    hasOlder = !page.isEmpty && page.count.isMultiple(of: Self.pageSize)
    insert(page, announced)
    follow(page)
    // Messages before that edge that arrived while the last page was read are not on it.
    guard !hasOlder, let edge else { return }
    merge(announced.values.filter { $0.position < edge })
  }

  func contains(_ id: Message.ID) -> Bool { index(of: id) != nil }

  /// Returns the message with this id if it is here, and before a position.
  func message(_ id: Message.ID?, before position: MessagePosition) -> Message? {
    messages.prefix { $0.position < position }.first { $0.id == id }
  }

  /// Leaves messages before `position` to later loads: the window has a gap there.
  mutating func giveUp(before position: MessagePosition) {
    messages.removeAll { $0.position < position && !islands.contains($0.id) }
    hasOlder = true
  }

  /// Messages that a page reaches back to are no longer islands.
  private mutating func follow(_ page: [Message]) {
    guard !islands.isEmpty else { return }
    guard hasOlder, let first = page.first else { return islands = [] }
    let beyond = messages.filter { islands.contains($0.id) && $0.position < first.position }
    islands = Set(beyond.map(\.id))
  }

  mutating func append(_ page: [Message], announced: [Message.ID: Message]) {
    hasNewer = page.count >= Self.pageSize
    insert(page, announced)
    // Messages that arrived while the last page was read are not on it.
    if !hasNewer { merge(announced.values.sorted { $0.position < $1.position }) }
  }

  /// Inserts the messages of a gap in order.
  mutating func fill(_ page: [Message], announced: [Message.ID: Message]) {
    insert(page, announced)
  }

  /// Inserts announced messages in order; those beyond an edge of the window are left to later
  /// loads, and one that only changes another one has no row of its own.
  mutating func merge(_ announced: [Message]) {
    for message in announced {
      if replace(message) || !message.hasRow { continue }
      if hasOlder, let first = oldest, message.position < first.position { continue }
      if hasNewer, let last = messages.last, message.position > last.position { continue }
      put(message)
    }
  }

  /// Merges messages that an archive brought. Those before the first here are read from the
  /// database when the user scrolls to them.
  /// - Parameter isReading: whether a page is being read, which will show whether there are older
  ///   messages.
  /// - Returns: whether anything here has changed.
  mutating func merge(history: [Message], isReading: Bool) -> Bool {
    guard !history.isEmpty, !isCleared else { return false }
    let later = history.filter { message in oldest.map { message.position > $0.position } ?? true }
    let beginsEarlier =
      !hasOlder && !isReading
      && history.contains { message in
        message.hasRow && oldest.map { message.position < $0.position } ?? false
      }
    if beginsEarlier { hasOlder = true }
    merge(later)
    return beginsEarlier || !later.isEmpty
  }

  /// Applies changes of messages, positions included: each message moves to its new position if
  /// that is within the window.
  /// - Returns: the messages that were here and are now beyond an edge.
  mutating func change(_ changed: [Message]) -> Set<Message.ID> {
    let first = hasOlder ? oldest?.position : nil
    let last = hasNewer ? messages.last?.position : nil
    func isBeyond(_ position: MessagePosition) -> Bool {
      first.map { position < $0 } ?? false || last.map { position > $0 } ?? false
    }
    var moved: Set<Message.ID> = []
    var arrived: [Message] = []
    for message in changed {
      switch update(message) {
      case .absent: arrived.append(message)
      case .inPlace: break
      case .moved: moved.insert(message.id)
      }
    }
    var gone: Set<Message.ID> = []
    if !moved.isEmpty {
      for message in messages
      where moved.contains(message.id) && !islands.contains(message.id)
        && isBeyond(message.position)
      {
        gone.insert(message.id)
      }
      messages.removeAll { gone.contains($0.id) }
      messages.sort { $0.position < $1.position }
    }
    // Others may have moved in.
    if oldest != nil {
      for message in arrived where message.hasRow && !isBeyond(message.position) { put(message) }
    }
    return gone
  }

  /// - Returns: whether the message was there.
  @discardableResult
  mutating func replace(_ message: Message) -> Bool {
    switch update(message) {
    case .absent: return false
    case .inPlace: return true
    case .moved:
      messages.sort { $0.position < $1.position }
      return true
    }
  }

  private enum Update { case absent, inPlace, moved }

  /// Applies the newer data of a message; the caller sorts messages that have moved.
  private mutating func update(_ message: Message) -> Update {
    guard let index = index(of: message.id) else { return .absent }
    let (known, new) = (messages[index].delivery, message.delivery)
    // Events of one message may overtake each other: a delivery state never goes back.
    let isSameText = messages[index].edit == message.edit
    let isOlder =
      isSameText
      && ((known == .read || known == .delivered) && (new == .sent || new == .queued)
        || known == .read && new == .delivered)
    if isOlder { return .inPlace }
    let hasMoved = messages[index].position != message.position
    messages[index] = message
    // A message moves when it receives its position in the archive's order.
    return hasMoved ? .moved : .inPlace
  }

  /// Removes messages that no longer exist.
  mutating func remove(_ ids: Set<Message.ID>) {
    messages.removeAll { ids.contains($0.id) }
  }

  /// Returns whether a message has gone.
  /// - Parameter before: the messages before it went.
  func hasLost(_ id: Message.ID, of before: [Message]) -> Bool {
    index(of: id) == nil && before.contains { $0.id == id }
  }

  /// Returns the next message below one that has gone, or the last one here if none of those below
  /// is here and the database may have newer ones; `nil` if it was the last of the conversation.
  /// - Parameter before: the messages before it went.
  func next(to id: Message.ID, among before: [Message]) -> Message.ID? {
    let here = Set(messages.map(\.id))
    let below = before.drop { $0.id != id }.first { here.contains($0.id) }
    return below?.id ?? (hasNewer ? messages.last?.id : nil)
  }

  /// Drops messages beyond the limit, those farthest from the reading position first.
  /// - Parameter id: the message at the reading position; `nil`: the newest one.
  mutating func trim(around id: Message.ID?) {
    let limit = limit(around: id)
    let excess = messages.count - limit
    guard excess > 0 else { return }
    let position = id.flatMap { index(of: $0) } ?? messages.count
    let older = min(max(0, position - limit / 2), excess)
    if older > 0 {
      messages.removeFirst(older)
      hasOlder = true
    }
    if older < excess {
      messages.removeLast(excess - older)
      hasNewer = true
    }
  }

  /// Returns how many messages may stay: fewer if they are long.
  private func limit(around id: Message.ID?) -> Int {
    let sizes = messages.map { $0.body.utf8.count }
    let total = sizes.reduce(0, +)
    guard total > Self.byteLimit else { return Self.limit }
    // Take those around the reading position, one more on each side until the byte limit is
    // reached.
    let position = min(id.flatMap { index(of: $0) } ?? sizes.count, sizes.count - 1)
    var (low, high, bytes) = (position, position, sizes[position])
    while low > 0 || high < sizes.count - 1 {
      let next = (low > 0 ? sizes[low - 1] : 0) + (high < sizes.count - 1 ? sizes[high + 1] : 0)
      guard bytes + next <= Self.byteLimit else { break }
      bytes += next
      (low, high) = (max(0, low - 1), min(sizes.count - 1, high + 1))
    }
    // If the reading position is at an end, half of the limit lies on the other side of it.
    return min(Self.limit, max(Self.pageSize, high - low + 1))
  }

  /// Shows the whole text of a message, and shortens the one expanded before.
  mutating func expand(_ id: Message.ID, to text: String) {
    if let index = expanded.flatMap({ index(of: $0) }) {
      messages[index] = messages[index].shortened
    }
    guard let index = index(of: id), messages[index].isShortened else { return }
    expanded = id
    messages[index] = messages[index].showing(whole: text)
  }

  private mutating func insert(_ page: [Message], _ announced: [Message.ID: Message]) {
    for message in page {
      let message = announced[message.id] ?? message
      if replace(message) { continue }
      put(message)
    }
  }

  private mutating func put(_ message: Message) {
    newestID = max(newestID, message.id)
    if let last = messages.last, message.position < last.position {
      messages.insert(message, at: index(of: message.position))
    } else {
      messages.append(message)
    }
  }

  /// Returns the index of a message. It searches from the end: most changes concern new messages.
  private func index(of id: Message.ID) -> Int? {
    // Ids rise: an id above all earlier ones is new.
    guard id <= newestID else { return nil }
    // Not `lastIndex(where:)`, which copies each message for the comparison.
    var index = messages.count - 1
    while index >= 0, messages[index].id != id { index -= 1 }
    return index >= 0 ? index : nil
  }

  private func index(of position: MessagePosition) -> Int {
    var low = 0
    var high = messages.count
    while low < high {
      let middle = (low + high) / 2
      if messages[middle].position < position { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

extension Message {
  /// False if it only changes another message.
  nonisolated fileprivate var hasRow: Bool { effect == nil && !isCorrection }

  /// True if it is the user's own and is unsent, or failed to send.
  nonisolated fileprivate var isUnsettled: Bool {
    switch delivery {
    case .queued, .failed: direction == .outgoing
    default: false
    }
  }
}

nonisolated extension TimelineWindow {
  /// The nicks of the senders of the loaded messages, the most recent first.
  var speakers: [String] {
    var seen: Set<String> = []
    return messages.reversed().compactMap { message in
      guard message.direction == .incoming, let nick = message.sender.resource,
        seen.insert(nick).inserted
      else { return nil }
      return nick
    }
  }
}
