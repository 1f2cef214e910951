import FoundationEssentials
import NatterCore
import Synchronization

/// The items of the status line that one run of a script has set: no more changes are reported than
/// a user can see, and the last one counts.
final class StatusItems: Sendable {
  /// An item, as it is reported.
  struct Item: Hashable, Sendable {
    let id: String
    let text: String
    let role: String
    let until: Date?
  }

  private struct State {
    var rate = ScriptRates().screen
    /// The items that wait, and those that are shown, by id.
    var waiting: [String: Item] = [:]
    var shown: Set<String> = []
    var isWaiting = false
  }

  private let state = Mutex(State())

  /// Sets an item, at once or later.
  /// - Returns: whether it replaces one that was not reported yet.
  @discardableResult func set(_ item: Item, _ services: ScriptHostServices) async -> Bool {
    let (replaces, isFirst) = state.withLock { state -> (Bool, Bool) in
      let replaces = state.waiting.updateValue(item, forKey: item.id) != nil
      defer { state.isWaiting = true }
      return (replaces, !state.isWaiting)
    }
    guard isFirst else { return replaces }
    if let pause = await report(services) {
      Task {
        var pause: Duration? = pause
        while let next = pause, await services.clock.hasPassed(next) {
          pause = await report(services)
        }
      }
    }
    return replaces
  }

  /// Removes all items.
  func clear(_ services: ScriptHostServices) async {
    let shown = state.withLock { state in
      state.waiting = [:]
      defer { state.shown = [] }
      return state.shown.sorted()
    }
    for id in shown { await services.report(.status(id: id, text: "", role: "plain", until: nil)) }
  }

  /// Reports what waits, as far as the rate allows.
  /// - Returns: the pause before the next try; `nil`: nothing waits any more.
  private func report(_ services: ScriptHostServices) async -> Duration? {
    while true {
      let (item, pause) = state.withLock { state -> (Item?, Duration?) in
        guard let id = state.waiting.keys.min() else {
          state.isWaiting = false
          return (nil, nil)
        }
        if let pause = state.rate.take(at: services.clock.steady()) { return (nil, pause) }
        let item = state.waiting.removeValue(forKey: id)
        if item?.text.isEmpty == true { state.shown.remove(id) } else { state.shown.insert(id) }
        return (item, nil)
      }
      guard let item else { return pause }
      await services.report(
        .status(id: item.id, text: item.text, role: item.role, until: item.until))
    }
  }
}
