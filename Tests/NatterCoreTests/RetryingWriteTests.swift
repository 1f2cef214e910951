import NatterCore
import Synchronization
import Testing

@Suite struct RetryingWriteTests {
  private struct Full: Error {}

  private final class Counter: Sendable {
    private let count = Mutex(0)
    func next() -> Int {
      count.withLock {
        $0 += 1
        return $0
      }
    }
  }

  @Test
  func `a write that fails is retried until it succeeds, and each failure is shown and logged`()
    async
  {
    let hub = EventHub()
    let events = hub.events()
    let (lines, pauses, attempts) = (Counter(), Counter(), Counter())
    let write = RetryingWrite(hub: hub, sleep: { _ in _ = pauses.next() }) { line in
      #expect(line.contains("3 letters"))
      _ = lines.next()
    }
    let stored = await write.perform("3 letters") { () throws -> Int in
      let attempt = attempts.next()
      if attempt < 3 { throw Full() }
      return attempt
    }
    #expect(stored == 3)
    #expect(lines.next() == 3 && pauses.next() == 3)
    var iterator = events.makeAsyncIterator()
    for _ in 0..<2 {
      #expect(await iterator.next() == .notice(StatusNotice(.error, "error.storage.write")))
    }
    #expect(await iterator.next() == .storageWorks)
    // What succeeds at once is no news.
    await write.perform("3 letters") {}
    hub.publish(.blockListChanged)
    #expect(await iterator.next() == .blockListChanged)
  }

  @Test func `a caller that is cancelled while it waits gives up`() async {
    let write = RetryingWrite(hub: nil, sleep: { _ in throw CancellationError() }) { _ in }
    #expect(await write.perform("a letter") { throw Full() } as Void? == nil)
  }

  @Test func `a cancelled task tries once: what was reported right before the end is kept`()
    async
  {
    let write = RetryingWrite(hub: nil) { _ in }
    let attempts = Counter()
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      _ = await write.perform("a letter") { attempts.next() }
      return await write.perform("a letter") {
        _ = attempts.next()
        throw Full()
      } as Void?
    }
    #expect(await task.value == nil)
    #expect(attempts.next() == 3)
  }
}
