import NatterCore
import Synchronization

/// The changes of the screen that one run of a script makes: no more of them are reported than a
/// user can see, and of each thing the last one counts.
final class ScreenChanges: Sendable {
  /// A thing that changes, by its id in the manifest.
  enum Key: Hashable, Sendable {
    case status(String)
    case pane(String)
  }

  private struct State {
    var rate = ScriptRates().screen
    /// The changes that wait, in the order of the first one of each thing.
    var waiting: [Key: ScriptHostEvent] = [:]
    var order: [Key] = []
    /// Indicates whether a task reports what waits, and whether it does at this moment.
    var isBusy = false
    var isReporting = false
    var hasEnded = false
  }

  private let state = Mutex(State())

  /// Makes a change, at once or later; none after `end`.
  /// - Returns: whether it replaces one that was not reported yet.
  @discardableResult func set(
    _ key: Key, _ change: ScriptHostEvent, _ services: ScriptHostServices
  ) async -> Bool {
    let (replaces, isFirst) = state.withLock { state -> (Bool, Bool) in
      guard !state.hasEnded else { return (false, false) }
      let replaces = state.waiting.updateValue(change, forKey: key) != nil
      if !replaces { state.order.append(key) }
      defer { state.isBusy = true }
      return (replaces, !state.isBusy)
    }
    guard isFirst, let pause = await report(services) else { return replaces }
    Task {
      var pause: Duration? = pause
      while let next = pause, await services.clock.hasPassed(next) {
        pause = await report(services)
      }
    }
    return replaces
  }

  /// Drops what waits, and reports after all changes that the script has ended.
  func end(_ services: ScriptHostServices) async {
    let isReporting = state.withLock { state in
      state.hasEnded = true
      (state.waiting, state.order) = ([:], [])
      return state.isReporting
    }
    if !isReporting { await services.report(.ended) }
  }

  /// Reports what waits, as far as the rate allows.
  /// - Returns: the pause before the next try; `nil`: nothing waits any more.
  private func report(_ services: ScriptHostServices) async -> Duration? {
    while true {
      let (change, pause) = state.withLock { state -> (ScriptHostEvent?, Duration?) in
        guard let key = state.order.first else {
          state.isBusy = false
          return (nil, nil)
        }
        if let pause = state.rate.take(at: services.clock.steady()) { return (nil, pause) }
        state.order.removeFirst()
        state.isReporting = true
        return (state.waiting.removeValue(forKey: key), nil)
      }
      guard let change else { return pause }
      await services.report(change)
      let hasEnded = state.withLock { state in
        state.isReporting = false
        return state.hasEnded
      }
      // `end` has left it to this task, so that it is the last report.
      if hasEnded { await services.report(.ended) }
    }
  }
}
