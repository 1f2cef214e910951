import TestSupport
import Testing

@testable import natter

/// Waiting for a change.
@Suite struct ChangeSignalTests {
  @Test func `a signal wakes all tasks that wait`() async {
    let (signal, checked) = (ChangeSignal(), Observed(0))
    let tasks = (0..<3).map { _ in
      Task {
        await signal.wait {
          checked.update { $0 += 1 }
          return false
        }
      }
    }
    // They wait before the condition is checked.
    #expect(await checked.waits { $0 == 3 })
    signal.signal()
    for task in tasks { await task.value }
  }

  @Test func `nothing waits for what holds already, nor in a cancelled task`() async {
    let signal = ChangeSignal()
    await signal.wait { true }
    let task = Task { await signal.wait { false } }
    task.cancel()
    await task.value
  }
}
