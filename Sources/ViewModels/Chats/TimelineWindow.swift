import FoundationEssentials
import NatterCore
import XMPP

/// The part of a conversation that is in memory: in order, without doubles, never more than a limit.
nonisolated struct TimelineWindow {
  static let pageSize = 60
  static let limit = 480
  /// The bytes of text that are in memory, as far as there are more messages than a page.
  static let byteLimit = 6 << 20

  /// Oldest first.
  private(set) var messages: [Message] = []
  /// Whether the database may have older ones than the first here, or newer ones than the last.
  private(set) var hasOlder = false
  private(set) var hasNewer = false
  /// No message that was here has a higher id.
  private var newestID = Message.ID(0)
  /// The message whose whole text is shown.
  private var expanded: Message.ID?
  /// The message that was looked for, and is told apart from the others.
  var marked: Message.ID?
  /// The words that it was looked for by.
  var sought: [String] = []

  /// Starts again with the newest page; what was announced since the page was read stays.
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

  /// Messages that were left when the others were taken off the view: what lies between them is not here.
  private var islands: Set<Message.ID> = []
  /// The oldest message from which on nothing is missing here.
  var oldest: Message? {
    islands.isEmpty ? messages.first : messages.first { !islands.contains($0.id) }
  }
  /// Whether everything that can be was taken off the view, and nothing has come since.
  var isCleared: Bool { oldest == nil && hasOlder }
  /// What happened before this is not shown while no message of then is.
  private(set) var clearedAt: Date?

  /// Takes everything out; it is in the database as before. What has not been sent stays: somebody has to see to it.
  mutating func clear(at date: Date) {
    messages = messages.filter(\.isUnsettled)
    islands = Set(messages.map(\.id))
    (hasOlder, hasNewer, clearedAt) = (true, false, date)
  }

  /// Starts again with what is around a message.
  mutating func replace(with page: [Message], hasOlder: Bool, hasNewer: Bool) {
    (messages, self.hasOlder, self.hasNewer, islands) = (page, hasOlder, hasNewer, [])
    newestID = page.map(\.id).max() ?? Message.ID(0)
  }

  mutating func prepend(_ page: [Message], announced: [Message.ID: Message]) {
    hasOlder = page.count >= Self.pageSize
    insert(page, announced)
    follow(page)
  }

  /// Leaves what stands before `position` to later loads: what lies between is not here.
  mutating func giveUp(before position: MessagePosition) {
    messages.removeAll { $0.position < position && !islands.contains($0.id) }
    hasOlder = true
  }

  /// What a page reaches back to is no island any more.
  private mutating func follow(_ page: [Message]) {
    guard !islands.isEmpty else { return }
    guard hasOlder, let first = page.first else { return islands = [] }
    let beyond = messages.filter { islands.contains($0.id) && $0.position < first.position }
    islands = Set(beyond.map(\.id))
  }

  mutating func append(_ page: [Message], announced: [Message.ID: Message]) {
    hasNewer = page.count >= Self.pageSize
    insert(page, announced)
    // What came while the last page was read is not on it.
    if !hasNewer { merge(announced.values.sorted { $0.position < $1.position }) }
  }

  /// Puts messages of a hole in their places.
  mutating func fill(_ page: [Message], announced: [Message.ID: Message]) {
    insert(page, announced)
  }

  /// Puts announced messages in their places; those beyond either edge of what is loaded are left to later loads.
  mutating func merge(_ announced: [Message]) {
    for message in announced {
      if replace(message) { continue }
      if hasOlder, let first = oldest, message.position < first.position { continue }
      if hasNewer, let last = messages.last, message.position > last.position { continue }
      put(message)
    }
  }

  /// Takes over what has changed, also of places: each message is where it stands now, if that is within what is loaded.
  /// - Returns: those that were here and stand beyond an edge now.
  mutating func change(_ changed: [Message]) -> Set<Message.ID> {
    let first = hasOlder ? oldest?.position : nil
    let last = hasNewer ? messages.last?.position : nil
    func isBeyond(_ place: MessagePosition) -> Bool {
      first.map { place < $0 } ?? false || last.map { place > $0 } ?? false
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
    // Others may have moved in; what only says something about another message has no place of its own.
    if oldest != nil {
      for message in arrived
      where message.replaces == nil && message.effect == nil && !isBeyond(message.position) {
        put(message)
      }
    }
    return gone
  }

  /// - Returns: whether it was there.
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

  /// Takes over what is newer of a message; whoever calls puts what has moved in its place.
  private mutating func update(_ message: Message) -> Update {
    guard let index = index(of: message.id) else { return .absent }
    let (known, new) = (messages[index].delivery, message.delivery)
    // News of one message may overtake each other: what has arrived has arrived.
    let isSameText = messages[index].edit == message.edit
    let isOlder =
      isSameText
      && ((known == .read || known == .delivered) && (new == .sent || new == .queued)
        || known == .read && new == .delivered)
    if isOlder { return .inPlace }
    let hasMoved = messages[index].position != message.position
    messages[index] = message
    // It has been given its place in the archive's order.
    return hasMoved ? .moved : .inPlace
  }

  /// Takes out what is not there any more.
  mutating func remove(_ ids: Set<Message.ID>) {
    messages.removeAll { ids.contains($0.id) }
  }

  /// Gives up what is too much, as far as can be from what is being read.
  /// - Parameter id: the message that is being read; `nil`: the newest one.
  mutating func trim(around id: Message.ID?) {
    let limit = limit(around: id)
    let excess = messages.count - limit
    guard excess > 0 else { return }
    let place = id.flatMap { index(of: $0) } ?? messages.count
    let older = min(max(0, place - limit / 2), excess)
    if older > 0 {
      messages.removeFirst(older)
      hasOlder = true
    }
    if older < excess {
      messages.removeLast(excess - older)
      hasNewer = true
    }
  }

  /// How many messages may stay: fewer where they are long.
  private func limit(around id: Message.ID?) -> Int {
    let sizes = messages.map { $0.body.utf8.count }
    let total = sizes.reduce(0, +)
    guard total > Self.byteLimit else { return Self.limit }
    // Those around what is being read, one more on each side until the room is used up.
    let place = min(id.flatMap { index(of: $0) } ?? sizes.count, sizes.count - 1)
    var (low, high, bytes) = (place, place, sizes[place])
    while low > 0 || high < sizes.count - 1 {
      let next = (low > 0 ? sizes[low - 1] : 0) + (high < sizes.count - 1 ? sizes[high + 1] : 0)
      guard bytes + next <= Self.byteLimit else { break }
      bytes += next
      (low, high) = (max(0, low - 1), min(sizes.count - 1, high + 1))
    }
    // Where what is read stands at an end, half of the limit is on the other side of it.
    return min(Self.limit, max(Self.pageSize, high - low + 1))
  }

  /// Shows all of a message's text, and of those before it the beginning again.
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

  /// Where the message is; changes concern new messages most often.
  private func index(of id: Message.ID) -> Int? {
    // Ids rise: one that is above all that were here is new.
    guard id <= newestID else { return nil }
    // Not `lastIndex(where:)`, which copies each message to ask it.
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
  /// Whether it is the person's own and not on its way yet, or cannot be sent.
  nonisolated fileprivate var isUnsettled: Bool {
    switch delivery {
    case .queued, .failed: direction == .outgoing
    default: false
    }
  }
}

nonisolated extension TimelineWindow {
  /// Who spoke, the last first: of the messages that are loaded, by nick.
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
