import NatterCore
import XMPP

/// The connection state of the account, and the last error. The error stays visible during the next
/// attempt, which takes most of the time with a server that accepts connections and never answers.
nonisolated struct ConnectionSummary {
  private(set) var state: ConnectionState
  /// The last state that was not an attempt.
  private(set) var trouble: ConnectionState

  init(_ state: ConnectionState) { (self.state, trouble) = (state, state) }

  mutating func follow(_ state: ConnectionState) {
    self.state = state
    if case .connecting = state {} else { trouble = state }
  }

  /// True if the connection is gone and has not come back, even during an attempt.
  var isGone: Bool { !trouble.isOnline }

  /// The state that glyph and word show: during a retry, that there is no connection.
  var shown: ConnectionState {
    switch trouble {
    case .waiting, .refused: trouble
    case .offline, .connecting, .online: state
    }
  }

  /// Returns the connection state as a notice, for the command that asks for it.
  /// - Parameter connectKey: the key or command that begins an attempt.
  @MainActor func notice(connectKey: String, _ format: ItemFormat) -> StatusNotice {
    switch state {
    case .online: StatusNotice(.info, "status.isOnline", ["account": format.account.shown])
    case .offline: StatusNotice(.info, "status.isOffline", ["key": connectKey])
    case .connecting(let host): attempt(at: host, format)
    case .waiting(_, let reason):
      StatusNotice(
        .warning, "status.isWaiting", ["reason": format.reason(reason), "key": connectKey])
    case .refused(let reason):
      StatusNotice(
        .error, "status.refused", ["reason": format.reason(reason), "key": connectKey])
    }
  }

  /// Returns the notice during an attempt at `host`; after a failure it includes the reason.
  @MainActor func attempt(at host: String, _ format: ItemFormat) -> StatusNotice {
    switch trouble {
    case .waiting(_, let reason), .refused(let reason):
      StatusNotice(.warning, "status.trying", ["reason": format.reason(reason), "host": host])
    case .offline, .connecting, .online: StatusNotice(.info, "status.connecting", ["host": host])
    }
  }
}
