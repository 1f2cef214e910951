import XML
import XMPP

/// A signed-in client: a connected resource (RFC 6120 §7), which can outlive its connection for a
/// time (XEP-0198 §5).
struct ClientSession: Sendable {
  let id: ConnectionID
  let account: String
  let jid: JID
  /// Indicates whether the client is Natter in line mode.
  var isInLines: Bool { jid.resource?.hasPrefix(WelcomeBot.lineModeResource) == true }
  /// `nil` while the session waits to be resumed.
  var connection: ConnectionID?
  /// The number of times that its connection has closed.
  var closures = 0
  /// The last available presence that it broadcast, with a delay stamp; `nil` while it is
  /// unavailable (RFC 6121 §4).
  var presence: Element?
  /// -128 to 127 (RFC 6121 §4.7.2.3).
  var priority = 0
  /// Indicates whether it requested the roster, and so receives roster pushes (RFC 6121 §2.2).
  var isInterested = false
  /// Indicates whether it receives carbon copies of the account's other conversations (XEP-0280).
  var hasCarbons = false
  /// The recipients of its directed presence (RFC 6121 §4.6).
  var directed: Set<JID> = []
  /// Indicates whether it receives changes of the block list (XEP-0191 §3.2).
  var seesBlocking = false
  /// The capabilities that its presence announced, and the nodes for which they request
  /// notifications.
  var capabilities: XEP0115Capabilities?
  var interests: Set<String> = []
  /// The names of the rooms that it is in.
  var rooms: Set<String> = []
  var management: Acknowledgements?
  /// The row ids of messages that were sent to it and not yet acknowledged.
  var inFlight: Set<Int64> = []
  /// Indicates whether the store has offline messages of its account that were not yet sent to it.
  var hasBacklog = false

  init(id: ConnectionID, account: String, jid: JID) {
    self.id = id
    self.account = account
    self.jid = jid
    connection = id
  }

  /// Indicates whether it receives messages to the account's bare address (RFC 6121 §8.5.2).
  var takesMessages: Bool { presence != nil && priority >= 0 }
}
