/// How many bytes a stanza may have on its way to a server.
package struct StanzaLimit: Hashable, Sendable {
  package let bytes: Int
  /// Whether the server says so (XEP-0478); else it is what servers take that nobody has told anything else.
  package let isAnnounced: Bool

  package init(announced bytes: Int) {
    self.bytes = bytes
    isAnnounced = true
  }

  private init(usual bytes: Int) {
    self.bytes = bytes
    isAnnounced = false
  }

  /// What ejabberd and Prosody take. They answer more by ending the connection, and only once they have read it, which may
  /// take minutes where they let in a few thousand bytes in a second.
  package static let usual = StanzaLimit(usual: 1 << 18)

  package func takes(_ stanza: Element) -> Bool { XMLWriter().bytes(stanza).count <= bytes }
}
