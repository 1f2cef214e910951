import Synchronization
import Testing
import XML

@testable import XMPP

/// The elements that are collected between two reads, and those that are not waited for.
@Suite struct StanzaQueueTests {
  /// A clock that the queue's own waits move on.
  private final class Clock: Sendable {
    private let state = Mutex((now: ContinuousClock.Instant.now, rests: [Duration]()))
    var now: ContinuousClock.Instant { state.withLock { $0.now } }
    var rests: [Duration] { state.withLock { $0.rests } }
    func advance(_ duration: Duration) { state.withLock { $0.now += duration } }
    func rest(_ duration: Duration) {
      state.withLock {
        $0.now += duration
        $0.rests.append(duration)
      }
    }
  }

  private func queue(_ clock: Clock, during rest: @escaping @Sendable () -> Void = {})
    -> StanzaQueue
  {
    StanzaQueue(now: { clock.now }) { duration in
      clock.rest(duration)
      rest()
    }
  }

  private func stanzas(_ ids: ClosedRange<Int>) -> [Stanza] {
    ids.map { Stanza.message(MessageStanza(Element("message", Namespace.client, ["id": "\($0)"]))) }
  }

  private func ids(_ stanzas: [Stanza]?) -> [String]? {
    stanzas?.map { if case .message(let message) = $0 { message.id ?? "" } else { "" } }
  }

  @Test func `what came by several reads is taken at once, in order`() async {
    let clock = Clock()
    let queue = queue(clock)
    queue.append(stanzas(1...2))
    queue.append([])
    queue.append(stanzas(3...3))
    #expect(ids(await queue.next()) == ["1", "2", "3"])
    #expect(clock.rests.isEmpty)
  }

  @Test func `what follows at once is gathered for the rest of the pause`() async {
    let clock = Clock()
    let waiting = Mutex<StanzaQueue?>(nil)
    let queue = queue(clock) { waiting.withLock { $0 }?.append(stanzas(3...4)) }
    waiting.withLock { $0 = queue }
    queue.append(stanzas(1...1))
    #expect(ids(await queue.next()) == ["1"])
    clock.advance(.milliseconds(5))
    queue.append(stanzas(2...2))
    #expect(ids(await queue.next()) == ["2", "3", "4"])
    #expect(clock.rests == [StanzaQueue.pause - .milliseconds(5)])
  }

  @Test func `no reader waits after a pause, nor when there is plenty`() async {
    let clock = Clock()
    let queue = queue(clock)
    queue.append(stanzas(1...1))
    _ = await queue.next()
    clock.advance(StanzaQueue.pause)
    queue.append(stanzas(2...2))
    #expect(ids(await queue.next()) == ["2"])
    queue.append(stanzas(1...StanzaQueue.plenty))
    #expect(await queue.next()?.count == StanzaQueue.plenty)
    #expect(clock.rests.isEmpty)
  }

  @Test func `what is too much for one time is left for the next, which comes at once`() async {
    let clock = Clock()
    let queue = queue(clock)
    let most = StanzaQueue.most
    queue.append(stanzas(1...most + StanzaQueue.plenty))
    queue.append(stanzas(most + StanzaQueue.plenty + 1...2 * most + 1))
    #expect(ids(await queue.next()) == (1...most).map(String.init))
    #expect(ids(await queue.next()) == (most + 1...2 * most).map(String.init))
    #expect(clock.rests.isEmpty)
    #expect(ids(await queue.next()) == ["\(2 * most + 1)"])
  }

  @Test func `no reader waits while a request waits for what is here`() async {
    let clock = Clock()
    let queue = queue(clock)
    queue.append(stanzas(1...1))
    _ = await queue.next()
    queue.hurry(true)
    queue.append(stanzas(2...2))
    #expect(ids(await queue.next()) == ["2"])
    #expect(clock.rests.isEmpty)
    queue.hurry(false)
    queue.append(stanzas(3...3))
    #expect(ids(await queue.next()) == ["3"])
    #expect(clock.rests == [StanzaQueue.pause])
  }

  @Test func `what came before the end is taken, then the end`() async {
    let queue = queue(Clock())
    queue.append(stanzas(1...1))
    queue.finish()
    #expect(ids(await queue.next()) == ["1"])
    #expect(await queue.next() == nil)
    #expect(await queue.next() == nil)
  }

  @Test func `who waits gets what comes, and the end when it comes`() async {
    let queue = queue(Clock())
    async let first = queue.next()
    queue.append(stanzas(1...1))
    #expect(ids(await first) == ["1"])
    async let end = queue.next()
    queue.finish()
    #expect(await end == nil)
  }

  @Test func `a cancelled task gets nothing more`() async {
    let queue = queue(Clock())
    let task = Task { await queue.next() }
    task.cancel()
    #expect(await task.value == nil)
  }

  @Test func `a task that is cancelled while it waits leaves what is there`() async {
    let clock = Clock()
    let queue = StanzaQueue(now: { clock.now }) { _ in
      withUnsafeCurrentTask { $0?.cancel() }
      try Task.checkCancellation()
    }
    queue.append(stanzas(1...1))
    _ = await queue.next()
    queue.append(stanzas(2...2))
    #expect(await Task { await queue.next() }.value == nil)
    queue.hurry(true)
    #expect(ids(await queue.next()) == ["2"])
  }
}
