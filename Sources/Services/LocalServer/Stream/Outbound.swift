import XML
import XMPP

/// The output of one batch for one connection. It is sent after the batch's transaction has
/// committed.
struct Outbound: Sendable {
  var bytes: [UInt8] = []
  /// The row ids of stored messages among the bytes. The rows are deleted when the operating system
  /// has accepted the bytes.
  var messages: [Int64] = []
  /// Indicates whether a new stream follows, so that the parser restarts (RFC 6120 §4.3.3).
  var restartsParser = false
  /// Indicates whether the client has signed in: the limits before signing in no longer apply.
  var isAuthenticated = false
  /// Indicates whether the connection closes after the bytes.
  var ends = false

  init() {}

  /// Returns this output with that of a later batch for the same connection appended.
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
