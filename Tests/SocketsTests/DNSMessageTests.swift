import Testing

@testable import Sockets

/// Builds answers of name servers.
enum DNSAnswer {
  /// A name in its uncompressed form.
  static func name(_ text: String) -> [UInt8] {
    text.split(separator: ".").flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) } + [0]
  }

  static func number(_ value: Int) -> [UInt8] { [UInt8(value >> 8), UInt8(value & 0xFF)] }

  /// A record's data for SRV.
  static func service(_ priority: Int, _ weight: Int, _ port: Int, _ target: [UInt8]) -> [UInt8] {
    number(priority) + number(weight) + number(port) + target
  }

  static func record(_ data: [UInt8], type: Int = 33, klass: Int = 1) -> [UInt8] {
    // The owner is a pointer to the question.
    [0xC0, 12] + number(type) + number(klass) + [0, 0, 0, 60] + number(data.count) + data
  }

  static func message(
    _ records: [[UInt8]], question: String = "_xmpp-client._tcp.example.org", flags: Int = 0x8180,
    count: Int? = nil
  ) -> [UInt8] {
    let header =
      number(0x1234) + number(flags) + number(1) + number(count ?? records.count) + number(0)
      + number(0)
    return header + name(question) + number(33) + number(1) + records.flatMap(\.self)
  }
}

@Suite struct DNSMessageTests {
  private let good = DNSAnswer.message([
    DNSAnswer.record(DNSAnswer.service(5, 10, 5222, DNSAnswer.name("XMPP.example.org"))),
    DNSAnswer.record(DNSAnswer.service(0, 65535, 65535, DNSAnswer.name("b.example.net"))),
  ])

  @Test func `records are read in their order`() {
    #expect(
      DNSMessage.serviceRecords(in: good) == [
        ServiceRecord(priority: 5, weight: 10, port: 5222, target: "xmpp.example.org"),
        ServiceRecord(priority: 0, weight: 65535, port: 65535, target: "b.example.net"),
      ])
  }

  @Test func `a compressed target is followed`() {
    // "xmpp" and then "example.org" of the question, which begins at 12 + 13 + 5.
    let message = DNSAnswer.message([
      DNSAnswer.record(
        DNSAnswer.service(1, 2, 3, [4] + Array("xmpp".utf8) + [0xC0, 12 + 13 + 5]))
    ])
    #expect(
      DNSMessage.serviceRecords(in: message)
        == [ServiceRecord(priority: 1, weight: 2, port: 3, target: "xmpp.example.org")])
  }

  @Test func `the target dot means that there is no such service`() {
    let message = DNSAnswer.message([DNSAnswer.record(DNSAnswer.service(0, 0, 0, [0]))])
    #expect(
      DNSMessage.serviceRecords(in: message)
        == [ServiceRecord(priority: 0, weight: 0, port: 0, target: "")])
  }

  @Test func `records of other types and classes are passed over`() {
    let message = DNSAnswer.message([
      DNSAnswer.record(DNSAnswer.name("alias.example.org"), type: 5),
      DNSAnswer.record(DNSAnswer.service(1, 1, 1, DNSAnswer.name("chaos.org")), klass: 3),
      DNSAnswer.record(DNSAnswer.service(1, 1, 1, DNSAnswer.name("a.org"))),
    ])
    #expect(DNSMessage.serviceRecords(in: message)?.map(\.target) == ["a.org"])
  }

  @Test func `an answer without records is empty`() {
    #expect(DNSMessage.serviceRecords(in: DNSAnswer.message([])) == [])
  }

  @Test func `a message that is cut off anywhere is refused`() {
    for count in good.indices {
      #expect(DNSMessage.serviceRecords(in: Array(good[..<count])) == nil, "\(count)")
    }
  }

  @Test(arguments: [0x0180, 0x8380, 0x8182, 0x8183])
  func `a question, a truncated answer and an error are refused`(flags: Int) {
    #expect(DNSMessage.serviceRecords(in: DNSAnswer.message([], flags: flags)) == nil)
  }

  @Test func `more records announced than there are is refused`() {
    let one = DNSAnswer.record(DNSAnswer.service(1, 1, 1, DNSAnswer.name("a.org")))
    #expect(DNSMessage.serviceRecords(in: DNSAnswer.message([one], count: 2)) == nil)
    #expect(DNSMessage.serviceRecords(in: DNSAnswer.message([one], count: 65535)) == nil)
  }

  @Test func `pointers to themselves, in a circle and forward are refused`() {
    // The record's data begin at `start`; its target at 6 more.
    let start = DNSAnswer.message([]).count + 12
    let itself = [0xC0, UInt8(start + 6)]
    let circle: [UInt8] = [1, 0x61, 0xC0, UInt8(start + 6)]
    let forward = [0xC0, UInt8(start + 20)]
    let beyond: [UInt8] = [0xFF, 0xFF]
    for target in [itself, circle, forward, beyond, [0xC0], [0x80, 0], [0x40, 0], [63], [1]] {
      let message = DNSAnswer.message([DNSAnswer.record(DNSAnswer.service(1, 1, 1, target))])
      #expect(DNSMessage.serviceRecords(in: message) == nil, "\(target)")
    }
  }

  @Test func `a name of more than 255 bytes is refused`() {
    let label = [UInt8(63)] + [UInt8](repeating: 0x61, count: 63)
    let long = label + label + label + label + [0]
    let message = DNSAnswer.message([DNSAnswer.record(DNSAnswer.service(1, 1, 1, long))])
    #expect(DNSMessage.serviceRecords(in: message) == nil)
  }

  @Test func `data after the target are refused`() {
    let data = DNSAnswer.service(1, 1, 1, DNSAnswer.name("a.org")) + [0]
    #expect(DNSMessage.serviceRecords(in: DNSAnswer.message([DNSAnswer.record(data)])) == nil)
  }

  @Test(arguments: ["a b.org", "a\u{1B}[2J.org", "a/b", "ä.org", "a:1"])
  func `a target with bytes that no host has is left out`(target: String) {
    let message = DNSAnswer.message([
      DNSAnswer.record(DNSAnswer.service(1, 1, 1, DNSAnswer.name(target)))
    ])
    #expect(DNSMessage.serviceRecords(in: message) == [])
  }

  @Test func `a label with a dot inside is no way to another name`() {
    let target: [UInt8] = [5] + Array("a.org".utf8) + [0]
    let message = DNSAnswer.message([DNSAnswer.record(DNSAnswer.service(1, 1, 1, target))])
    #expect(DNSMessage.serviceRecords(in: message) == [])
  }

  @Test func `port 0 is left out`() {
    let message = DNSAnswer.message([
      DNSAnswer.record(DNSAnswer.service(1, 1, 0, DNSAnswer.name("a.org")))
    ])
    #expect(DNSMessage.serviceRecords(in: message) == [])
  }

  @Test func `no damage to a byte makes the reader fall over`() {
    for index in good.indices {
      for value: UInt8 in [0, 1, 0x3F, 0x40, 0x7F, 0xC0, 0xFF] {
        var damaged = good
        damaged[index] = value
        let records = DNSMessage.serviceRecords(in: damaged) ?? []
        #expect(records.count <= 2)
      }
    }
  }

  @Test func `of very many records the first hundred count`() {
    let one = DNSAnswer.record(DNSAnswer.service(1, 1, 1, DNSAnswer.name("a.org")))
    let message = DNSAnswer.message([[UInt8]](repeating: one, count: 1000))
    #expect(DNSMessage.serviceRecords(in: message)?.count == 100)
  }
}
