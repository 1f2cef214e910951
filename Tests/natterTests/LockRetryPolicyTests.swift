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

  @Test func `an account that stays taken is reported, with who has it`() async throws {
    let (result, count) = try await open(freeAfter: .max, patient)
    #expect(throws: StorageError.locked(by: 42)) { try result.get() }
    #expect(count.waited.withLock { $0 } == .seconds(1))
  }

  @Test func `an instance without a user is asked once, and opened at once when it gives up`()
    async throws
  {
    // Nothing listens at first, then an instance gives the account up.
    let asked = Mutex(0)
    let count = Count()
    let value = try await patient(count).open(
      asking: {
        asked.withLock { number in
          number += 1
          return number < 3 ? nil : true
        }
      }
    ) {
      if asked.withLock({ $0 }) < 3 { throw StorageError.locked(by: 42) }
      return 7
    }
    #expect(value == 7 && asked.withLock { $0 } == 3)
    #expect(count.waited.withLock { $0 } == .milliseconds(100))
  }

  @Test(arguments: [false, true])
  func `one that keeps the account, or never leaves it, is not asked for ever`(answer: Bool)
    async throws
  {
    let asked = Mutex(0)
    await #expect(throws: StorageError.locked(by: 42)) {
      try await patient(Count()).open(
        asking: {
          asked.withLock { $0 += 1 }
          return answer
        }
      ) { throw StorageError.locked(by: 42) }
    }
    #expect(asked.withLock { $0 } == (answer ? 5 : 1))
  }

  @Test func `a command does not wait`() async throws {
    let (result, count) = try await open(freeAfter: .max) { _ in .none }
    #expect(throws: StorageError.locked(by: 42)) { try result.get() }
    #expect(count.opened.withLock { $0 } == 1)
  }

  @Test func `another failure is reported at once`() async throws {
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
