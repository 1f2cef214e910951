import NatterCore
import XMPP

/// Follows the open accounts for scripts, and only while scripts are enabled.
final class ScriptAccounts {
  private let bridging: any ScriptBridging
  private var following: Task<Void, Never>?
  private var events: (names: Set<String>, task: Task<Void, Never>)?
  private var last: Set<JID> = []
  private var lastOpenings = 0

  init(_ bridging: any ScriptBridging) { self.bridging = bridging }

  /// Begins or ends to follow the accounts.
  /// - Parameters:
  ///   - isNeeded: whether a script is enabled.
  ///   - names: the events that wake scripts.
  func follow(
    _ isNeeded: Bool, events names: Set<String>, onChange: @escaping @Sendable () async -> Void,
    onEvent: @escaping @Sendable (ScriptWake) async -> Void
  ) {
    if isNeeded, following == nil {
      // Subscribed before it is looked what there is.
      let changes = bridging.changes()
      following = Task {
        await onChange()
        for await _ in changes { await onChange() }
      }
    } else if !isNeeded {
      following?.cancel()
      following = nil
    }
    guard names != events?.names ?? [] else { return }
    events?.task.cancel()
    events = nil
    guard !names.isEmpty else { return }
    let stream = bridging.events(named: names)
    events = (names, Task { for await event in stream { await onEvent(event) } })
  }

  /// Returns whether other accounts are open than at the last call, or one was opened again.
  /// - Parameter openings: how often accounts were opened and closed, read before `accounts`.
  func areOthers(_ accounts: [JID], _ openings: Int) -> Bool {
    defer { (last, lastOpenings) = (Set(accounts), openings) }
    return Set(accounts) != last || openings != lastOpenings
  }

  func end() {
    following?.cancel()
    events?.task.cancel()
  }
}
