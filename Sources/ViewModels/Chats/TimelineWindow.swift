import NatterCore
import XMPP

/// The part of a conversation that is in memory: in order, without doubles, never more than a limit.
nonisolated struct TimelineWindow {
  static let pageSize = 60
  static let limit = 480

  /// Oldest first.
  private(set) var messages: [Message] = []
  /// Whether the database may have older ones than the first here, or newer ones than the last.
  private(set) var hasOlder = false
  private(set) var hasNewer = false
  /// The message that was looked for, and is told apart from the others.
  var marked: Message.ID?

  /// Starts again with the newest page; what was announced since the page was read stays.
  mutating func replace(withLatest page: [Message], announced: [Message.ID: Message]) {
    hasOlder = page.count >= Self.pageSize
    hasNewer = false
    messages = page
    merge(announced.values.sorted { $0.position < $1.position })
  }

  /// Starts again with what is around a message.
  mutating func replace(with page: [Message], hasOlder: Bool, hasNewer: Bool) {
    (messages, self.hasOlder, self.hasNewer) = (page, hasOlder, hasNewer)
  }

  mutating func prepend(_ page: [Message], announced: [Message.ID: Message]) {
    hasOlder = page.count >= Self.pageSize
    insert(page, announced)
    // Only the far side is given up, so what is being read stays.
    if messages.count > Self.limit {
      messages.removeLast(messages.count - Self.limit)
      hasNewer = true
    }
  }

  mutating func append(_ page: [Message], announced: [Message.ID: Message]) {
    hasNewer = page.count >= Self.pageSize
    insert(page, announced)
    dropOldest()
  }

  /// Puts messages of a hole in their places; what is too much goes on the side that is not being read.
  mutating func fill(_ page: [Message], announced: [Message.ID: Message], keepsOlder: Bool) {
    insert(page, announced)
    guard messages.count > Self.limit else { return }
    if keepsOlder {
      messages.removeLast(messages.count - Self.limit)
      hasNewer = true
    } else {
      dropOldest()
    }
  }

  /// Puts announced messages in their places; those beyond either edge of what is loaded are left to later loads.
  mutating func merge(_ announced: [Message]) {
    for message in announced {
      if replace(message) { continue }
      if hasOlder, let first = messages.first, message.position < first.position { continue }
      if hasNewer, let last = messages.last, message.position > last.position { continue }
      if let last = messages.last, message.position < last.position {
        messages.insert(message, at: index(of: message.position))
      } else {
        messages.append(message)
      }
    }
  }

  /// - Returns: whether it was there.
  @discardableResult
  mutating func replace(_ message: Message) -> Bool {
    // Changes concern new messages most often.
    guard let index = messages.lastIndex(where: { $0.id == message.id }) else { return false }
    let (known, new) = (messages[index].delivery, message.delivery)
    // News of one message may overtake each other: what has arrived has arrived.
    let isOlder = (known == .read || known == .delivered) && (new == .sent || new == .queued)
    if isOlder { return true }
    let hasMoved = messages[index].position != message.position
    messages[index] = message
    // It has been given its place in the archive's order.
    if hasMoved { messages.sort { $0.position < $1.position } }
    return true
  }

  mutating func dropOldest() {
    guard messages.count > Self.limit else { return }
    messages.removeFirst(messages.count - Self.limit)
    hasOlder = true
  }

  private mutating func insert(_ page: [Message], _ announced: [Message.ID: Message]) {
    for message in page {
      let message = announced[message.id] ?? message
      if replace(message) { continue }
      messages.insert(message, at: index(of: message.position))
    }
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
