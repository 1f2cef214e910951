import Testing

@testable import Terminal

@Suite struct WidthProbeTests {
  private func probe(answering columns: [Int]) -> (probe: WidthProbe, ends: [Bool]) {
    var probe = WidthProbe()
    let ends = columns.map { probe.take(Point(row: 1, column: $0)) }
    return (probe, ends)
  }

  @Test func `answers are taken in the order of the questions, and others are passed over`() {
    var probe = WidthProbe()
    #expect(probe[.ambiguous] == nil && probe.isUTF8 == nil)
    let answers = [(5, 9), (1, 1), (1, 2), (1, 1), (1, 4), (1, 6)].map {
      Point(row: $0.0, column: $0.1)
    }
    #expect(answers.map { probe.take($0) } == [false, true, false, false, false, true])
    #expect(probe[.ambiguous] == 2 && probe[.variation] == 1 && probe[.tone] == 4)
    #expect(probe[.joined] == 6 && !probe.drawsWhole && probe.isUTF8 == true)
    // More than was asked for changes nothing.
    let isLast = probe.take(Point(row: 1, column: 1))
    #expect(!isLast && probe[.ambiguous] == 2)
  }

  @Test func `a terminal that gives each emoji two columns draws them whole`() {
    #expect(!WidthProbe().drawsWhole)
    let probe = probe(answering: [1, 1, 2, 2, 2]).probe
    #expect(probe.drawsWhole && probe[.ambiguous] == 1)
  }

  @Test(arguments: [0, 2, 3])
  func `one that draws the bytes of a letter is not in UTF-8, and is not asked for more`(
    columns: Int
  ) {
    let (probe, ends) = probe(answering: [columns, 1])
    #expect(probe.isUTF8 == false && ends == [true, false])
    #expect(probe[.ambiguous] == nil)
  }

  @Test func `nothing of the first question steers a terminal that is not in UTF-8`() {
    let bytes = Array(WidthProbe.firstQuestion.utf8)
    #expect(bytes.contains { $0 >= 0x80 } && !bytes.contains { 0x80..<0xA0 ~= $0 })
    // A letter of ambiguous width would take two columns where such are wide.
    let letter = WidthProbe.Sample.letter.rawValue.unicodeScalars.first
    #expect(letter.map { ScalarClass($0.value) } == .narrow)
  }

  @Test func `an answer is no key, and a key is no answer`() {
    var decoder = InputDecoder()
    let events = decoder.feed(Array("\u{1B}[2;3Ra\u{1B}[1;2R\u{1B}OR".utf8), at: .now)
    #expect(
      events == [.key(.character("a")), .key(Key(.function(3), .shift)), .key(Key(.function(3)))])
    #expect(decoder.takeReports() == [.cursor(Point(row: 1, column: 2))])
  }

  @Test func `the question leaves the cursor where it was`() {
    for (question, count) in [(WidthProbe.firstQuestion, 1), (WidthProbe.question, 4)] {
      #expect(question.hasPrefix("\u{1B}7") && question.hasSuffix("\u{1B}8"))
      #expect(question.components(of: "\u{1B}[6n") == count)
    }
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
