import FoundationEssentials
import NatterCore
import Synchronization

/// What scripts have on the screen now, from what their hosts report.
final class ScriptBoard: Sendable {
  private struct Key: Hashable {
    let script: String
    let id: String
  }

  private struct Shown {
    let item: ScriptStatusItem
    /// Removes the item when its time has passed.
    let expiry: Task<Void, Never>?
  }

  let changes = ScriptChanges()
  private let clock: BridgeClock
  private let items = Mutex<[Key: Shown]>([:])
  private let panes = Mutex<[Key: ScriptPane]>([:])

  init(clock: BridgeClock) { self.clock = clock }

  /// The items of the status line, by script and id.
  var statusItems: [ScriptStatusItem] {
    items.withLock { $0.values.map(\.item) }
      .sorted { ($0.script, $0.id) < ($1.script, $1.id) }
  }

  /// Shows an item instead of the one of the same id before; without text it is only removed.
  /// - Parameter ledger: the rights of its script.
  func set(_ item: ScriptStatusItem, _ ledger: RightsLedger) {
    guard !ledger.hasLost(.status) else { return }
    let key = Key(script: item.script, id: item.id)
    let shown = item.text.isEmpty ? nil : Shown(item: item, expiry: expiry(of: item, key))
    let earlier = items.withLock { items in
      defer { items[key] = shown }
      return items[key]
    }
    earlier?.expiry?.cancel()
    if earlier?.item != shown?.item { changes.send(.status) }
  }

  /// The content of a pane; `nil`: there is none.
  func pane(_ id: String, of script: String) -> ScriptPane? {
    panes.withLock { $0[Key(script: script, id: id)] }
  }

  /// Sets the content of a pane.
  /// - Parameter ledger: the rights of its script.
  func set(_ pane: ScriptPane, _ ledger: RightsLedger) {
    guard !ledger.hasLost(.panes) else { return }
    panes.withLock { $0[Key(script: pane.script, id: pane.id)] = pane }
    changes.send(.panes)
  }

  /// Takes what a host has reported about the screen.
  func take(_ event: ScriptHostEvent, from script: String, _ ledger: RightsLedger) {
    switch event {
    case .status(let id, let text, let role, let until):
      set(ScriptStatusItem(script: script, id: id, text: text, role: role, until: until), ledger)
    case .pane(let pane): set(pane, ledger)
    case .ended: clear(script)
    case .state, .toast, .usage, .requests, .dropped: break
    }
  }

  /// Removes what a script may not show any more.
  func check(_ script: String, _ ledger: RightsLedger) {
    if ledger.hasLost(.status) { clearItems(of: script) }
    if ledger.hasLost(.panes) { clearPanes(of: script) }
  }

  /// Removes all of a script.
  func clear(_ script: String) {
    clearItems(of: script)
    clearPanes(of: script)
  }

  private func clearItems(of script: String) {
    remove { key, _ in key.script == script }
  }

  private func clearPanes(of script: String) {
    let hadAny = panes.withLock { panes in
      let before = panes.count
      for key in panes.keys where key.script == script { panes[key] = nil }
      return panes.count < before
    }
    if hadAny { changes.send(.panes) }
  }

  private func expiry(of item: ScriptStatusItem, _ key: Key) -> Task<Void, Never>? {
    guard let until = item.until else { return nil }
    let time = Duration.seconds(max(0, until.timeIntervalSince(clock.now())))
    return Task { [weak self, sleep = clock.sleep] in
      // Cancelled: another item has replaced it, or it was removed.
      do { try await sleep(time) } catch { return }
      self?.remove { $0 == key && $1 == item }
    }
  }

  private func remove(_ isMeant: (Key, ScriptStatusItem) -> Bool) {
    let removed = items.withLock { items in
      let meant = items.filter { isMeant($0.key, $0.value.item) }
      for key in meant.keys { items[key] = nil }
      return meant
    }
    for shown in removed.values { shown.expiry?.cancel() }
    if !removed.isEmpty { changes.send(.status) }
  }
}

extension RightsLedger {
  /// Indicates whether a right was taken back in this run, and not given again. One that was given
  /// for one call is not held, and not lost.
  fileprivate func hasLost(_ right: ScriptRight) -> Bool {
    decision(right, in: nil) == .refused(.revoked)
  }
}
