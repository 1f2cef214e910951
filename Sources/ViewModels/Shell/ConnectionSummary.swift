import NatterCore
import XMPP

/// How the account stands with its server, and what was wrong last: that stays to be read while the next attempt runs, which
/// takes most of the time where a server takes connections and says nothing.
nonisolated struct ConnectionSummary {
  private(set) var state: ConnectionState
  /// The last state that was more than an attempt.
  private(set) var trouble: ConnectionState

  init(_ state: ConnectionState) { (self.state, trouble) = (state, state) }

  mutating func follow(_ state: ConnectionState) {
    self.state = state
    if case .connecting = state {} else { trouble = state }
  }

  /// Whether the connection is gone and has not come back, be it tried at the moment.
  var isGone: Bool { !trouble.isOnline }

  /// What a sign and a word tell: while it is tried again, that there is no connection.
  var shown: ConnectionState {
    switch trouble {
    case .waiting, .refused: trouble
    case .offline, .connecting, .online: state
    }
  }

  /// How the account stands with its server, for who asks.
  /// - Parameter connectKey: what ends a wait for the next attempt.
  @MainActor func notice(connectKey: String, _ format: ItemFormat) -> StatusNotice {
    switch state {
    case .online: StatusNotice(.info, "status.isOnline", ["account": format.account.shown])
    case .offline: StatusNotice(.info, "status.isOffline")
    case .connecting(let host): attempt(at: host, format)
    case .waiting(_, let reason):
      StatusNotice(
        .warning, "status.isWaiting", ["reason": format.reason(reason), "key": connectKey])
    case .refused(let reason):
      StatusNotice(.error, "status.refused", ["reason": format.reason(reason)])
    }
  }

  /// What is said while `host` is tried: where there was no connection before, also why.
  @MainActor func attempt(at host: String, _ format: ItemFormat) -> StatusNotice {
    switch trouble {
    case .waiting(_, let reason), .refused(let reason):
      StatusNotice(.warning, "status.trying", ["reason": format.reason(reason), "host": host])
    case .offline, .connecting, .online: StatusNotice(.info, "status.connecting", ["host": host])
    }
  }
}
