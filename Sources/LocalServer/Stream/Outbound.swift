import XMPP

/// What one turn of the server has for one connection; it leaves when the turn's transaction is
/// committed.
struct Outbound: Sendable {
  var bytes: [UInt8] = []
  /// Stored messages among the bytes, whose rows go when the operating system has them.
  var messages: [Int64] = []
  /// Whether a new stream follows, so that the parser begins anew (RFC 6120 §4.3.3).
  var restartsParser = false
  /// Whether the client has signed in, so that the limits of strangers end.
  var isAuthenticated = false
  /// Whether the connection is closed after the bytes.
  var ends = false

  init() {}

  /// This and what a later turn has for the same connection.
  func followed(by later: Outbound) -> Outbound {
    var both = self
    both.bytes += later.bytes
    both.messages += later.messages
    both.restartsParser = restartsParser || later.restartsParser
    both.isAuthenticated = isAuthenticated || later.isAuthenticated
    both.ends = ends || later.ends
    return both
  }

  mutating func write(_ element: Element) { XMLWriter().append(element, to: &bytes) }
}
