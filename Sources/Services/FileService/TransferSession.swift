import XMPP

/// The knowledge of the session that the transfer queue has: another session may be one with
/// another server.
struct TransferSession: SessionScoped {
  var channel: (any StanzaChannel)?
  /// The service that takes files; `nil`: not found yet.
  var service: XEP0363Service?
  /// Looks for the service, for all who need it.
  var search: Task<XEP0363Service?, any Error>?
  /// Indicates whether the search for the service had no answer.
  var isServiceSilent = false
  /// Counts sessions.
  private(set) var number = 0

  init() {}

  mutating func end() {
    let next = number + 1
    self = Self()
    number = next
  }
}
