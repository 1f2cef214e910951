import XMPP

/// One stanza that the client has not acknowledged.
struct UnacknowledgedStanza: Sendable {
  let stanza: Element
  /// The row of a stored message.
  let message: Int64?
  /// Seconds since 1970.
  let sent: Double
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
  /// Whether an `<r/>` is on its way.
  var isAsking = false

  init(token: String?) { self.token = token }

  mutating func countReceived() { received &+= 1 }

  mutating func append(_ stanza: Element, message: Int64?, at time: Double) {
    unacknowledged.append(UnacknowledgedStanza(stanza: stanza, message: message, sent: time))
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
