import Foundation
import Synchronization

/// A clock that moves only when a test moves it.
///
/// It is a Swift `Clock`, and gives the closures (`now:`, `sleep:`) that services take.
package final class ManualClock: Clock, Sendable {
  /// Time since the clock was made.
  package struct Instant: InstantProtocol {
    package var offset: Swift.Duration
    package func advanced(by duration: Swift.Duration) -> Instant {
      Instant(offset: offset + duration)
    }
    package func duration(to other: Instant) -> Swift.Duration { other.offset - offset }
    package static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
  }

  private struct Sleeper {
    let deadline: Instant
    let wake: CheckedContinuation<Void, any Error>
  }

  private struct State {
    var now = Instant(offset: .zero)
    var sleepers: [Int: Sleeper] = [:]
    var lastSleeper = 0
  }

  private let state = Mutex(State())
  private let pending = Observed<[Swift.Duration]>([])
  private let start: Date

  /// - Parameter start: the date that the clock shows at first.
  package init(start: Date = Date(timeIntervalSince1970: 1_700_000_000)) {
    self.start = start
  }

  package var now: Instant { state.withLock { $0.now } }
  package var minimumResolution: Swift.Duration { .nanoseconds(1) }

  /// The same moment as a date (UTC).
  package var date: Date { start.addingTimeInterval(now.offset.seconds) }

  /// The durations of the current sleeps, the oldest first.
  package var sleeps: [Swift.Duration] { pending.value }

  /// Sleeps until a test has moved the clock far enough.
  /// - Throws: `CancellationError` when the task is cancelled.
  package func sleep(until deadline: Instant, tolerance: Swift.Duration? = nil) async throws {
    let number = state.withLock { state in
      state.lastSleeper += 1
      return state.lastSleeper
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (wake: CheckedContinuation<Void, any Error>) in
        let isDue = state.withLock { state in
          guard deadline > state.now else { return true }
          state.sleepers[number] = Sleeper(deadline: deadline, wake: wake)
          return false
        }
        if isDue {
          wake.resume()
        } else if Task.isCancelled {
          cancel(number)
        }
        announce()
      }
    } onCancel: {
      cancel(number)
    }
  }

  /// Sleeps for `duration` of this clock's time.
  package func sleep(for duration: Swift.Duration) async throws {
    try await sleep(until: now.advanced(by: duration))
  }

  /// Moves the clock, and wakes those whose time has come, the earliest first.
  package func advance(by duration: Swift.Duration) {
    let due = state.withLock { state in
      state.now = state.now.advanced(by: duration)
      let now = state.now
      let due = state.sleepers.filter { $0.value.deadline <= now }
      for number in due.keys { state.sleepers[number] = nil }
      return due.values.sorted { $0.deadline < $1.deadline }
    }
    announce()
    for sleeper in due { sleeper.wake.resume() }
  }

  /// Waits (in real time, with a limit) until so many are asleep.
  package func waits(untilSleeping count: Int, upTo limit: Swift.Duration = .seconds(20)) async
    -> Bool
  {
    await pending.waits(upTo: limit) { $0.count >= count }
  }

  private func cancel(_ number: Int) {
    let sleeper = state.withLock { $0.sleepers.removeValue(forKey: number) }
    sleeper?.wake.resume(throwing: CancellationError())
    announce()
  }

  private func announce() {
    pending.update { pending in
      pending = state.withLock { state in
        state.sleepers.sorted { $0.key < $1.key }
          .map { state.now.duration(to: $0.value.deadline) }
      }
    }
  }
}
