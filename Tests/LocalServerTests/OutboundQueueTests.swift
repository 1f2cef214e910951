import Testing

@testable import LocalServer

@Suite struct OutboundQueueTests {
  @Test func `what is added comes out in order and together`() {
    let queue = OutboundQueue(limit: 100)
    #expect(queue.append([1, 2], messages: [7]))
    #expect(queue.append([3]))
    let portion = queue.take()
    #expect(portion?.bytes == [1, 2, 3])
    #expect(portion?.messages == [7])
    #expect(queue.take() == nil)
  }

  @Test func `bytes on their way count until the next portion is taken`() {
    let queue = OutboundQueue(limit: 10)
    #expect(queue.append(Array(repeating: 0, count: 8)))
    _ = queue.take()
    #expect(!queue.append([1, 2, 3]))
    #expect(queue.append([1, 2]))
    _ = queue.take()
    #expect(queue.append(Array(repeating: 0, count: 8)))
  }

  @Test func `the farewell fits into a full queue and is the last`() {
    let queue = OutboundQueue(limit: 2)
    #expect(queue.append([1, 2]))
    #expect(queue.append([3, 4], isLast: true))
    #expect(queue.append([5]))
    #expect(queue.take()?.bytes == [1, 2, 3, 4])
    #expect(queue.isFinished)
  }

  @Test func `a closed queue ends its signals and drops what waits`() async {
    let queue = OutboundQueue(limit: 10)
    #expect(queue.append([1]))
    queue.close()
    for await _ in queue.signals {}
    for await _ in queue.ending {}
    #expect(queue.take() == nil)
  }
}
