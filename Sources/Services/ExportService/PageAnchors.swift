import NatterCore

/// The messages of a conversation that a page has, by the ids with which replies name them.
struct PageAnchors {
  private let isRoom: Bool
  /// By the hashes of the ids: a long conversation has too many texts to keep.
  private var messages: [Int: Message.ID] = [:]

  init(inRoom isRoom: Bool) { self.isRoom = isRoom }

  /// Adds a message. An id that was there before still means the earlier one.
  /// - Returns: its anchor.
  mutating func add(_ message: Message) -> String {
    if let id = message.replyID(inRoom: isRoom) {
      let hash = hash(id)
      messages[hash] = messages[hash] ?? message.id
    }
    return Self.anchor(message.id)
  }

  /// Returns the anchor of the message that a reply answers; `nil` if it is not on the page.
  func anchor(of reply: Message.Reply) -> String? { messages[hash(reply.id)].map(Self.anchor) }

  private static func anchor(_ id: Message.ID) -> String { "m\(id.rawValue)" }

  /// Ids are compared by their bytes.
  private func hash(_ id: String) -> Int { Array(id.utf8).hashValue }
}
