import XMPP

/// One stanza that the client has not acknowledged.
struct UnacknowledgedStanza: Sendable {
  private let shared: Element
  /// Whom it is for, where the stanza does not say.
  private let recipient: String?
  /// The row of a stored message.
  let message: Int64?
  /// Seconds since 1970.
  let sent: Double

  init(_ stanza: Element, to recipient: String?, message: Int64?, sent: Double) {
    shared = stanza
    self.recipient = recipient
    self.message = message
    self.sent = sent
  }

  var stanza: Element {
    guard let recipient else { return shared }
    var stanza = shared
    stanza["to"] = recipient
    return stanza
  }
}

/// What is remembered of a session that cannot be taken up again (XEP-0198 §5).
struct EndedSession: Sendable {
  let account: String
  /// How many of its stanzas the server has handled: they need not be sent again.
  let received: UInt32
}

/// The counters of a stream that is acknowledged (XEP-0198).
struct Acknowledgements: Sendable {
  /// What the client names to take the session up again; `nil` when it does not want to.
  let token: String?
  /// How many stanzas came from the client, modulo 2^32.
  private(set) var received: UInt32 = 0
  /// How many stanzas the client has acknowledged, modulo 2^32.
  private(set) var acknowledged: UInt32 = 0
  private(set) var unacknowledged: [UnacknowledgedStanza] = []
  /// How many stanzas were sent to the client, modulo 2^32.
  var sent: UInt32 { acknowledged &+ UInt32(truncatingIfNeeded: unacknowledged.count) }
  /// Whether an `<r/>` is on its way.
  var isAsking = false

  init(token: String?) { self.token = token }

  mutating func countReceived() { received &+= 1 }

  /// - Parameter recipient: whom the stanza is for, where it does not say.
  mutating func append(
    _ stanza: Element, to recipient: String? = nil, message: Int64?, at time: Double
  ) {
    unacknowledged.append(
      UnacknowledgedStanza(stanza, to: recipient, message: message, sent: time))
  }

  /// Takes the client's count.
  /// - Returns: what it has newly confirmed, or `nil` when it counts more than was sent.
  mutating func acknowledge(_ count: UInt32) -> ArraySlice<UnacknowledgedStanza>? {
    let confirmed = Int(count &- acknowledged)
    guard confirmed <= unacknowledged.count else { return nil }
    let stanzas = unacknowledged[..<confirmed]
    unacknowledged = Array(unacknowledged[confirmed...])
    acknowledged = count
    isAsking = false
    return stanzas
  }
}
