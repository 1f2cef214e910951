import Storage
import Synchronization
import Testing

@testable import natter

@Suite struct LockRetryPolicyTests {
  /// Counts how often something was asked for, and how long was waited.
  private final class Count: Sendable {
    let opened = Mutex(0)
    let waited = Mutex(Duration.zero)
  }

  private func open(freeAfter tries: Int, _ patience: (Count) -> LockRetryPolicy) async throws
    -> (result: Result<Int, any Error>, count: Count)
  {
    let count = Count()
    do {
      let value = try await patience(count).open { [count] in
        let number = count.opened.withLock {
          $0 += 1
          return $0
        }
        if number <= tries { throw StorageError.locked(by: 42) }
        return number
      }
      return (.success(value), count)
    } catch {
      return (.failure(error), count)
    }
  }

  private func patient(_ count: Count) -> LockRetryPolicy {
    LockRetryPolicy(limit: .seconds(1)) { time in count.waited.withLock { $0 += time } }
  }

  @Test func `an account that is given up within the limit is opened`() async throws {
    let (result, count) = try await open(freeAfter: 5, patient)
    #expect(try result.get() == 6)
    #expect(count.waited.withLock { $0 } == .milliseconds(250))
  }

  @Test func `an account that stays taken is told of, with who has it`() async throws {
    let (result, count) = try await open(freeAfter: .max, patient)
    #expect(throws: StorageError.locked(by: 42)) { try result.get() }
    #expect(count.waited.withLock { $0 } == .seconds(1))
  }

  @Test func `a command does not wait`() async throws {
    let (result, count) = try await open(freeAfter: .max) { _ in .none }
    #expect(throws: StorageError.locked(by: 42)) { try result.get() }
    #expect(count.opened.withLock { $0 } == 1)
  }

  @Test func `another failure is told at once`() async throws {
    let opened = Mutex(0)
    await #expect(throws: StorageError.full(path: "/x")) {
      try await LockRetryPolicy().open {
        opened.withLock { $0 += 1 }
        throw StorageError.full(path: "/x")
      }
    }
    #expect(opened.withLock { $0 } == 1)
  }
}
