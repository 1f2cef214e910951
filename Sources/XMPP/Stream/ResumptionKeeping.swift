/// Keeps what it takes to resume a session after the program itself was ended or killed (XEP-0198 §5).
///
/// A stream has each change kept before it writes a byte that depends on it. So what was kept is never behind what the
/// server was told or may have received, and never ahead of what the consumers have committed.
package protocol ResumptionKeeping: Sendable {
  /// The session that was kept last; `nil`: there is none.
  func keptSession() async throws -> StreamResumption?
  func keep(_ change: ResumptionChange) async throws
  /// The session was ended in order: it cannot be resumed.
  func forgetSession() async throws
}

/// How a session stands, and what has been sent in it since it was last kept.
package struct ResumptionChange: Hashable, Sendable {
  /// Whether nothing of what was kept before belongs to it.
  package let isFirst: Bool
  /// The server's name for the session.
  package let id: String
  package let jid: JID
  /// Where the server wants it resumed (XEP-0198 §5, `location`).
  package let location: String?
  /// Stanzas of the server's that the consumers are done with, modulo 2^32.
  package let handled: UInt32
  /// Stanzas sent, modulo 2^32.
  package let sent: UInt32
  /// The newest of them.
  package let appended: [Element]
  /// How many of all that were sent the server has not acknowledged.
  package let openCount: Int

  package init(
    isFirst: Bool, id: String, jid: JID, location: String? = nil, handled: UInt32, sent: UInt32,
    appended: [Element], openCount: Int
  ) {
    self.isFirst = isFirst
    self.id = id
    self.jid = jid
    self.location = location
    self.handled = handled
    self.sent = sent
    self.appended = appended
    self.openCount = openCount
  }
}

extension Element {
  /// Whether a stanza that the server did not get is worth sending again in another run of the program, and is not kept
  /// elsewhere: receipts and the like. Texts are the outbox's, a room's subject is told to have failed, and questions nobody waits
  /// for any more.
  package var survivesItsProgram: Bool {
    name == "message" && first("body", Namespace.client) == nil
      && first("subject", Namespace.client) == nil
      && elements.contains { $0.namespace != XEP0085ChatState.namespace && $0.name != "no-store" }
  }

  /// What stands for a stanza that is only counted: a question, which nobody sends again.
  package static func counted(id: String?) -> Element {
    var placeholder = Element("iq", Namespace.client, ["type": "get"])
    placeholder["id"] = id
    return placeholder
  }

  /// This element as text that `init(keptText:)` reads.
  package var keptText: String { String(decoding: XMLWriter().bytes(self), as: UTF8.self) }

  /// The element that `keptText` was made of; `nil` where the text is damaged.
  package init?(keptText: String) {
    let header =
      "<stream:stream xmlns='\(Namespace.client)' xmlns:stream='\(Namespace.streams)'>"
    let parser = XMLStreamParser(stanzaLimit: 1 << 26)
    // A damaged text is no element: nothing else can be said about it.
    let events = (try? parser.feed(Array((header + keptText).utf8))) ?? []
    for case .element(let element) in events {
      self = element
      return
    }
    return nil
  }
}
