import TestSupport
import Testing
import XMPP

@Suite struct StreamManagementTests {
  @Test func `what is acknowledged is reported once, in order`() throws {
    var management = StreamManagement()
    for id in ["a", "b", "c"] { management.didSend(id) }
    management.didSend(nil)
    #expect(try management.acknowledge(2) == ["a", "b"])
    #expect(try management.acknowledge(2).isEmpty)
    #expect(management.unacknowledged == ["c", nil])
    #expect(try management.acknowledge(4) == ["c"])
    #expect(management.unacknowledged.isEmpty)
  }

  @Test func `the counts go around at 2 to the 32`() throws {
    var management = StreamManagement(handled: .max, sent: .max - 1)
    for id in ["a", "b", "c"] { management.didSend(id) }
    #expect(management.sent == 1)
    #expect(try management.acknowledge(.max) == ["a"])
    #expect(try management.acknowledge(1) == ["b", "c"])
    management.didHandle(2)
    #expect(management.handled == 1)
  }

  @Test(arguments: [2, 3, UInt32.max])
  func `more than was sent cannot be acknowledged`(h: UInt32) throws {
    var management = StreamManagement()
    management.didSend("a")
    let error = #expect(throws: StreamManagement.TooHigh.self) { try management.acknowledge(h) }
    #expect(error?.acknowledged == h)
    #expect(error?.sent == 1)
    #expect(management.unacknowledged == ["a"])
  }

  @Test func `less than was acknowledged before is an error as well`() throws {
    var management = StreamManagement()
    for id in ["a", "b"] { management.didSend(id) }
    _ = try management.acknowledge(2)
    #expect(throws: StreamManagement.TooHigh.self) { try management.acknowledge(1) }
  }

  @Test(arguments: 0..<20)
  func `what is counted as handled never gets ahead of the consumers`(seed: Int) {
    var generator = SeededGenerator(seed: UInt64(seed))
    var ledger = HandledStanzaCounter()
    // In order of arrival: true for a stanza, false for an answer.
    var arrived: [Bool] = []
    var handledByConsumers = 0
    var counted = 0
    var delivered = 0
    for _ in 0..<200 {
      if Bool.random(using: &generator) {
        let stanzas = Int.random(in: 0...3, using: &generator)
        let answers = Int.random(in: 0...2, using: &generator)
        counted += ledger.add(stanzas: stanzas, answers: answers)
        arrived += Array(repeating: true, count: stanzas) + Array(repeating: false, count: answers)
        delivered += stanzas
      } else {
        let count = Int.random(in: 0...(delivered - handledByConsumers), using: &generator)
        counted += ledger.handle(count)
        handledByConsumers += count
      }
      #expect(ledger.backlog == delivered - handledByConsumers)
      #expect(arrived.prefix(counted).count { $0 } <= handledByConsumers)
    }
    counted += ledger.handle(delivered - handledByConsumers)
    #expect(counted == arrived.count)
  }

  @Test func `more than there was cannot be handled`() {
    var ledger = HandledStanzaCounter()
    _ = ledger.add(stanzas: 1, answers: 0)
    #expect(ledger.handle(5) == 1)
    #expect(ledger.backlog == 0)
    _ = ledger.add(stanzas: 1, answers: 0)
    #expect(ledger.handle(1) == 1)
  }
}
