import XMPP

/// One signed-in client: a connected resource (RFC 6120 §7), for a while also without its
/// connection (XEP-0198 §5).
struct ClientSession: Sendable {
  let id: ConnectionID
  let account: String
  let jid: JID
  /// Whether the client is Natter in line mode.
  var isInLines: Bool { jid.resource?.hasPrefix(WelcomeBot.lineModeResource) == true }
  /// `nil` while the session waits to be taken up again.
  var connection: ConnectionID?
  /// How often its connection has closed.
  var closures = 0
  /// The last available presence it broadcast, stamped; `nil` when it is not available (RFC 6121
  /// §4).
  var presence: Element?
  /// -128 to 127 (RFC 6121 §4.7.2.3).
  var priority = 0
  /// Whether it asked for the roster, and so is told of changes (RFC 6121 §2.2).
  var isInterested = false
  /// Whether it gets copies of the account's other conversations (XEP-0280).
  var hasCarbons = false
  /// Whom it sent presence to directly (RFC 6121 §4.6).
  var directed: Set<JID> = []
  /// Whether it is told of changes of the block list (XEP-0191 §3.2).
  var seesBlocking = false
  /// What its presence said of what it can do, and the nodes that it wants to hear of by that.
  var capabilities: XEP0115Capabilities?
  var interests: Set<String> = []
  /// The names of the rooms that it is in.
  var rooms: Set<String> = []
  var management: Acknowledgements?
  /// Rows of messages that were sent to it and are not known to have arrived.
  var inFlight: Set<Int64> = []
  /// Whether more messages of its account wait in the store than were sent to it.
  var hasBacklog = false

  init(id: ConnectionID, account: String, jid: JID) {
    self.id = id
    self.account = account
    self.jid = jid
    connection = id
  }

  /// Whether messages to the account's bare address reach it (RFC 6121 §8.5.2).
  var takesMessages: Bool { presence != nil && priority >= 0 }
}
