import XML
import XMPP

/// A stanza that the client has not acknowledged.
struct UnacknowledgedStanza: Sendable {
  private let shared: Element
  /// The value of `to`, if the shared stanza has none.
  private let recipient: String?
  /// The row id of the message in the store, if it has one.
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

/// The record of a session that can no longer be resumed (XEP-0198 §5).
struct EndedSession: Sendable {
  let account: String
  /// The number of its stanzas that the server has handled; the client need not send them again.
  let received: UInt32
}

/// The stream management state of a session (XEP-0198).
struct Acknowledgements: Sendable {
  /// The id with which the client resumes the session; `nil` if it did not ask for resumption.
  let token: String?
  /// The number of stanzas received from the client, modulo 2^32.
  private(set) var received: UInt32 = 0
  /// The number of stanzas that the client has acknowledged, modulo 2^32.
  private(set) var acknowledged: UInt32 = 0
  private(set) var unacknowledged: [UnacknowledgedStanza] = []
  /// The number of stanzas sent to the client, modulo 2^32.
  var sent: UInt32 { acknowledged &+ UInt32(truncatingIfNeeded: unacknowledged.count) }
  /// Indicates whether an `<r/>` is unanswered.
  var isAsking = false

  init(token: String?) { self.token = token }

  mutating func countReceived() { received &+= 1 }

  /// - Parameter recipient: the value of `to`, if the stanza has none.
  mutating func append(
    _ stanza: Element, to recipient: String? = nil, message: Int64?, at time: Double
  ) {
    unacknowledged.append(
      UnacknowledgedStanza(stanza, to: recipient, message: message, sent: time))
  }

  /// Processes the client's count.
  /// - Returns: the newly acknowledged stanzas, or `nil` when the count exceeds the number sent.
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
