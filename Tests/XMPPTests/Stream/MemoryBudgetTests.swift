import Crypto
import Foundation
import Sockets
import TestSupport
import Testing
import XML

@testable import XMPP

/// Waiting stanzas are limited in bytes, and none is lost.
@Suite(.timeLimit(.minutes(6))) struct MemoryBudgetTests {
  private static func message(_ id: Int, bytes: Int) -> Element {
    Element(
      "message", Namespace.client, ["id": "\(id)"],
      [Element("body", Namespace.client, text: String(repeating: "x", count: bytes))])
  }

  @Test func `a stream that brings too much before its session is complete is given up`() throws {
    var early = EarlyElements()
    let half = Self.message(1, bytes: StreamLimits.earlyBytes / 2)
    for _ in 0..<2 { try early.append(half) }
    // The limit is exceeded once by what is kept, and not again.
    let refusal = StreamFailure.protocolViolation(.breach(.unexpectedElement, name: "message"))
    #expect(throws: refusal) { try early.append(half) }
    #expect(early.elements.count == 2)
  }

  private static func ids(_ stanzas: [Stanza]) -> [String] {
    stanzas.map { $0.element["id"] ?? "" }
  }

  @Test func `long stanzas are taken a few at a time, in order, and one that is too long alone`()
    async
  {
    let queue = StanzaQueue(sleep: { _ in })
    let sizes = [900_000, 900_000, 900_000, 5_000_000, 10, 10]
    queue.append(sizes.enumerated().compactMap { Stanza(Self.message($0, bytes: $1)) })
    #expect(queue.weight > sizes.reduce(0, +))
    queue.finish()
    var taken: [[String]] = []
    while let batch = await queue.next() { taken.append(Self.ids(batch)) }
    #expect(taken == [["0", "1"], ["2"], ["3"], ["4", "5"]])
    #expect(queue.weight == 0)
  }

  private static func result(_ id: Int) -> XEP0313Result {
    XEP0313Result(
      id: "\(id)", stamp: .distantPast, message: MessageStanza(message(id, bytes: 1)))
  }

  @Test func `of a page of long messages those nearest to the requested position are kept`() {
    let bytes = GatheredResults.byteLimit / 4
    var forward = GatheredResults(archive: JID(local: nil, domain: "a"), isBackward: false)
    var backward = GatheredResults(archive: JID(local: nil, domain: "a"), isBackward: true)
    for id in 0..<10 {
      forward.take(Self.result(id), weighing: bytes)
      backward.take(Self.result(id), weighing: bytes)
      #expect(max(forward.weight, backward.weight) <= GatheredResults.byteLimit)
    }
    // Also what would fit again: nothing is passed over.
    forward.take(Self.result(10), weighing: 0)
    #expect(forward.results.map(\.id) == ["0", "1", "2", "3"] && forward.isCut)
    #expect(backward.results.map(\.id) == ["6", "7", "8", "9"] && backward.isCut)
    var one = GatheredResults(archive: JID(local: nil, domain: "a"), isBackward: true)
    one.take(Self.result(0), weighing: bytes * 9)
    #expect(one.results.count == 1 && !one.isCut)
  }

  private static func answer(_ first: Int, _ last: Int) -> Element {
    let set = Element(
      "set", Namespace.resultSets, [:],
      [
        Element("first", Namespace.resultSets, text: "\(first)"),
        Element("last", Namespace.resultSets, text: "\(last)"),
      ])
    let fin = Element("fin", Namespace.archive, ["complete": "true"], [set])
    return Element("iq", Namespace.client, ["type": "result"], [fin])
  }

  @Test(arguments: [true, false])
  func `a page that was cut ends where what was kept of it ends`(isBackward: Bool) throws {
    var gathered = GatheredResults(
      archive: JID(local: nil, domain: "a"), isBackward: isBackward)
    for id in 0..<3 { gathered.take(Self.result(id), weighing: GatheredResults.byteLimit / 2) }
    let page = try #require(XEP0313Page(Self.answer(0, 2), gathered))
    #expect(!page.isComplete)
    #expect([page.oldest, page.newest] == (isBackward ? ["1", "2"] : ["0", "1"]))
  }

  @Test func `reading stops while too many bytes wait to be handled, and goes on after`()
    async throws
  {
    let size = 500_000
    let count = 60
    try await XMPPStreamTests().withSession { stream, server in
      // One read of the stream in memory brings all that was written: so it is written as it is
      // read.
      async let sending: Void = {
        for id in 0..<count {
          try await server.send(XMLWriter().string(Self.message(id, bytes: size)))
          while await stream.delivered <= id { await Task.yield() }
        }
      }()
      // Until it has read as much as it may.
      while !(await stream.isFull) { await Task.yield() }
      let most = (StreamLimits.backlogBytes + StanzaQueue.mostBytes) / size + 2
      var seen: [String] = []
      for await batch in stream.incoming {
        seen += Self.ids(batch)
        let waiting = await stream.delivered - (seen.count - batch.count)
        #expect(waiting <= most)
        await stream.markHandled(batch.count)
        if seen.count == count { break }
      }
      #expect(seen == (0..<count).map(String.init))
      try await sending
    }
  }
}
