/// What is repeated in an answer that nobody typed: the id that somebody else gave a message.
///
/// An id as long as a server's largest stanza would make an answer that is larger. The server would end the stream for it, each
/// time, and nobody could sign in any more.
enum AnswerLimit {
  /// The longest id that is answered, in bytes. Ids that programs make have tens of them.
  private static let idBytes = 1024

  static func takes(_ id: String) -> Bool { id.utf8.count <= idBytes }
}

extension Array {
  /// What `condition` holds for, and the rest, each in its order.
  func divided(by condition: (Element) -> Bool) -> (matching: [Element], others: [Element]) {
    (filter(condition), filter { !condition($0) })
  }
}
