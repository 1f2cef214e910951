/// A scheduler on the main actor: timers in the program, a list fired by hand in tests.
package struct Scheduler {
  private let start: (Duration, @escaping @MainActor () -> Void) -> (() -> Void)

  /// - Parameter start: begins a wait and returns its cancellation; cancelling a finished wait does
  ///   nothing.
  package init(_ start: @escaping (Duration, @escaping @MainActor () -> Void) -> (() -> Void)) {
    self.start = start
  }

  /// Calls `action` once after `delay`.
  /// - Returns: a function that cancels it.
  @discardableResult
  package func after(_ delay: Duration, _ action: @escaping @MainActor () -> Void) -> (() -> Void) {
    start(delay, action)
  }
}
