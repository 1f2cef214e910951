import Testing

@testable import Terminal

@Suite struct WidthProbeTests {
  @Test func `answers are taken in the order of the questions, and others are passed over`() {
    var probe = WidthProbe()
    #expect(probe[.ambiguous] == nil)
    let answers = [(5, 9), (1, 2), (1, 1), (1, 4), (1, 6)].map { Point(row: $0.0, column: $0.1) }
    #expect(answers.map { probe.take($0) } == [false, false, false, false, true])
    #expect(probe[.ambiguous] == 2 && probe[.variation] == 1 && probe[.tone] == 4)
    #expect(probe[.joined] == 6 && !probe.drawsWhole)
    // More than was asked for changes nothing.
    let isLast = probe.take(Point(row: 1, column: 1))
    #expect(!isLast && probe[.ambiguous] == 2)
  }

  @Test func `a terminal that gives each emoji two columns draws them whole`() {
    var probe = WidthProbe()
    #expect(!probe.drawsWhole)
    for column in [1, 2, 2, 2] { _ = probe.take(Point(row: 1, column: column)) }
    #expect(probe.drawsWhole && probe[.ambiguous] == 1)
  }

  @Test func `an answer is no key, and a key is no answer`() {
    var decoder = InputDecoder()
    let events = decoder.feed(Array("\u{1B}[2;3Ra\u{1B}[1;2R\u{1B}OR".utf8), at: .now)
    #expect(
      events == [.key(.character("a")), .key(Key(.function(3), .shift)), .key(Key(.function(3)))])
    #expect(decoder.takeReports() == [.cursor(Point(row: 1, column: 2))])
  }

  @Test func `the question leaves the cursor where it was`() {
    #expect(WidthProbe.question.hasPrefix("\u{1B}7") && WidthProbe.question.hasSuffix("\u{1B}8"))
    #expect(WidthProbe.question.components(of: "\u{1B}[6n") == WidthProbe.Sample.allCases.count)
  }
}

extension String {
  fileprivate func components(of part: String) -> Int {
    var count = 0
    var rest = self[...]
    while let found = rest.firstRange(of: part) {
      count += 1
      rest = rest[found.upperBound...]
    }
    return count
  }
}
