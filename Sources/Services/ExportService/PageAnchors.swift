import NatterCore

/// The newest messages of a conversation that a page has, by the ids with which replies name them.
struct PageAnchors {
  private let isRoom: Bool
  private let limit: Int
  /// By the hashes of the ids, which are shorter.
  private var newer: [Int: Message.ID] = [:]
  private var older: [Int: Message.ID] = [:]

  /// - Parameter limit: the least number of messages that replies find: all of a long conversation
  ///   would need more memory than the rest of the export.
  init(inRoom isRoom: Bool, limit: Int = 50_000) {
    self.isRoom = isRoom
    self.limit = limit
  }

  /// Adds a message. An id that was there before still means the earlier one.
  /// - Returns: its anchor.
  mutating func add(_ message: Message) -> String {
    if let id = message.replyID(inRoom: isRoom), self.message(id) == nil {
      if newer.count == limit { (older, newer) = (newer, [:]) }
      newer[hash(id)] = message.id
    }
    return Self.anchor(message.id)
  }

  /// Returns the anchor of the message that a reply answers; `nil` if it is not known.
  func anchor(of reply: Message.Reply) -> String? { message(reply.id).map(Self.anchor) }

  private func message(_ id: String) -> Message.ID? {
    let hash = hash(id)
    return newer[hash] ?? older[hash]
  }

  private static func anchor(_ id: Message.ID) -> String { "m\(id.rawValue)" }

  /// Ids are compared by their bytes.
  private func hash(_ id: String) -> Int { Array(id.utf8).hashValue }
}
