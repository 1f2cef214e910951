import XMPP

/// The limit of what an automatic answer repeats: the id that a remote sender gave a message.
///
/// An id as long as a server's largest stanza would make an answer that is larger. The server would
/// end the stream for it, each time, and the account could not stay signed in any more.
enum AnswerLimit {
  /// The longest id that is answered, in bytes. Ids that programs generate have some tens.
  private static let idBytes = 1024

  static func takes(_ id: String) -> Bool { id.utf8.count <= idBytes }
}

/// The stanza ids of the automatic answers of one kind. An answer has the same id at each attempt,
/// so that an acknowledged stanza identifies it.
struct AnswerIDs {
  let prefix: String

  /// Returns the id of the answer to `peer` about the message `id`.
  func id(for id: String, to peer: JID) -> String { "\(prefix)\(id)/\(peer)" }

  /// Returns those of `ids` that are of this kind, by their bytes: the remote id behind the prefix
  /// may begin with a mark that forms one character with the end of the prefix.
  func own(among ids: [String]) -> Set<String> {
    Set(ids.lazy.filter { $0.utf8.starts(with: prefix.utf8) })
  }
}

extension Array {
  /// Returns the elements that fulfil `condition`, and the others, each in their order.
  func divided(by condition: (Element) -> Bool) -> (matching: [Element], others: [Element]) {
    (filter(condition), filter { !condition($0) })
  }
}
