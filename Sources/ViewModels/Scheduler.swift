/// Runs something later on the main actor: timers in the program, a list fired by hand in tests.
package struct Scheduler {
  private let start: (Duration, @escaping @MainActor () -> Void) -> (() -> Void)

  /// - Parameter start: begins one wait and returns what cancels it; cancelling a wait that is over does nothing.
  package init(_ start: @escaping (Duration, @escaping @MainActor () -> Void) -> (() -> Void)) {
    self.start = start
  }

  /// Has `action` called once after `delay`.
  /// - Returns: what cancels it.
  @discardableResult
  package func after(_ delay: Duration, _ action: @escaping @MainActor () -> Void) -> (() -> Void) {
    start(delay, action)
  }
}
