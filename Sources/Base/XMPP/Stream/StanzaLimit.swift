import XML

/// The largest stanza that a server accepts, in bytes.
package struct StanzaLimit: Hashable, Sendable {
  package let bytes: Int
  /// Indicates whether the server announces the limit (XEP-0478); otherwise it is a usual default
  /// of servers.
  package let isAnnounced: Bool

  /// Creates the limit that a server announces, in bytes.
  package init(announced bytes: Int) {
    self.bytes = bytes
    isAnnounced = true
  }

  private init(usual bytes: Int) {
    self.bytes = bytes
    isAnnounced = false
  }

  /// The limit of ejabberd and Prosody. They answer a larger stanza by ending the connection, and
  /// only after they have read it, which may take minutes where they limit the rate to a few
  /// thousand bytes per second.
  package static let usual = StanzaLimit(usual: 1 << 18)

  package func takes(_ stanza: Element) -> Bool { XMLWriter().bytes(stanza).count <= bytes }
}
