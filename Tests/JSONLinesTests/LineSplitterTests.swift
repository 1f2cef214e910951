import Testing

@testable import JSONLines

/// Lines out of pieces.
@Suite struct LineSplitterTests {
  @Test(arguments: [1, 2, 3, 100])
  func `lines are the same however they arrive`(size: Int) {
    var splitter = LineSplitter(limit: 5)
    let bytes = Array("one\n\ntoo long\n12345\n123456\nlast".utf8)
    var lines: [LineSplitter.Line] = []
    for start in stride(from: 0, to: bytes.count, by: size) {
      lines += splitter.take(bytes[start..<min(start + size, bytes.count)])
    }
    #expect(
      lines == [
        .line(Array("one".utf8)), .line([]), .tooLong, .line(Array("12345".utf8)), .tooLong,
      ])
  }
}
