/// The limit of what an automatic answer repeats: the id that a remote sender gave a message.
///
/// An id as long as a server's largest stanza would make an answer that is larger. The server would
/// end the stream for it, each time, and the account could not stay signed in any more.
enum AnswerLimit {
  /// The longest id that is answered, in bytes. Ids that programs generate have some tens.
  private static let idBytes = 1024

  static func takes(_ id: String) -> Bool { id.utf8.count <= idBytes }
}

extension Array {
  /// Returns the elements that fulfil `condition`, and the others, each in their order.
  func divided(by condition: (Element) -> Bool) -> (matching: [Element], others: [Element]) {
    (filter(condition), filter { !condition($0) })
  }
}
