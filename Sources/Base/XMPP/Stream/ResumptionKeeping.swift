import XML

/// Storage for what is needed to resume a session after the program was ended or killed
/// (XEP-0198 §5).
///
/// A stream stores each change before it writes a byte that depends on it. So the stored state is
/// never behind what was reported to the server or what it may have received, and never ahead of
/// what the consumers have committed.
package protocol ResumptionKeeping: Sendable {
  /// Returns the session that was stored last; `nil` when there is none.
  func keptSession() async throws -> StreamResumption?
  func keep(_ change: ResumptionChange) async throws
  /// Forgets the session because it ended regularly and cannot be resumed.
  func forgetSession() async throws
}

/// The state of a session, and the stanzas sent in it since it was stored last.
package struct ResumptionChange: Hashable, Sendable {
  /// Indicates whether nothing that was stored before belongs to it.
  package let isFirst: Bool
  /// The server's id of the session.
  package let id: String
  package let jid: JID
  /// The host where the server wants it resumed (XEP-0198 §5, `location`).
  package let location: String?
  /// The number of the server's stanzas that the consumers are done with, modulo 2^32.
  package let handled: UInt32
  /// The number of stanzas sent, modulo 2^32.
  package let sent: UInt32
  /// The newest of the sent stanzas.
  package let appended: [Element]
  /// The number of sent stanzas that the server has not acknowledged.
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
  /// Indicates whether a stanza that the server did not get is worth sending again in another run
  /// of the program and is not stored elsewhere: receipts and the like. The outbox keeps texts, a
  /// change of a room's subject is reported as failed, and no task waits for requests any more.
  package var survivesItsProgram: Bool {
    name == "message" && first("body", Namespace.client) == nil
      && first("subject", Namespace.client) == nil
      && elements.contains { $0.namespace != XEP0085ChatState.namespace && $0.name != "no-store" }
  }

  /// Returns a placeholder for a stanza that is only counted: a request, which is never sent again.
  package static func counted(id: String?) -> Element {
    var placeholder = Element("iq", Namespace.client, ["type": "get"])
    placeholder["id"] = id
    return placeholder
  }

  /// This element as text that `init(keptText:)` reads.
  package var keptText: String { String(decoding: XMLWriter().bytes(self), as: UTF8.self) }

  /// Reads the element that `keptText` was made of; `nil` when the text is damaged.
  package init?(keptText: String) {
    let header =
      "<stream:stream xmlns='\(Namespace.client)' xmlns:stream='\(Namespace.streams)'>"
    let parser = XMLStreamParser(stanzaLimit: 1 << 26)
    // A damaged text contains no element; there is nothing more to report about it.
    let events = (try? parser.feed(Array((header + keptText).utf8))) ?? []
    for case .element(let element) in events {
      self = element
      return
    }
    return nil
  }
}
