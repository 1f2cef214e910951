import Testing
import XML
import XMPP

@testable import LocalServer

@Suite struct AcknowledgementsTests {
  private func filled(_ count: Int) -> Acknowledgements {
    var counters = Acknowledgements(token: "t")
    for number in 0..<count {
      counters.append(
        Element("message", Namespace.client, ["id": "\(number)"]), message: Int64(number), at: 0)
    }
    return counters
  }

  @Test func `what the client counts is confirmed once, in order`() {
    var counters = filled(5)
    counters.isAsking = true
    #expect(counters.acknowledge(2)?.compactMap(\.message) == [0, 1])
    #expect(!counters.isAsking)
    #expect(counters.acknowledge(2)?.isEmpty == true)
    #expect(counters.acknowledge(5)?.compactMap(\.message) == [2, 3, 4])
    #expect(counters.unacknowledged.isEmpty)
  }

  @Test(arguments: [UInt32(6), 100, UInt32.max]) func `more than was sent is a mistake`(
    _ count: UInt32
  ) {
    var counters = filled(5)
    #expect(counters.acknowledge(count) == nil)
    #expect(counters.unacknowledged.count == 5)
  }

  @Test func `a count that goes back is a mistake`() {
    var counters = filled(5)
    _ = counters.acknowledge(3)
    #expect(counters.acknowledge(2) == nil)
  }
}
