import Glibc
import Testing

@testable import TerminalNcurses

/// What ncurses writes for a frame, kept until it is whole.
@Suite struct FrameCollectorTests {
  @Test func `what is written for a frame is kept, what comes behind it goes to the terminal`()
    throws
  {
    var ends: [CInt] = [-1, -1]
    try #require(pipe(&ends) == 0)
    let target = dup(ends[1])
    defer { for descriptor in ends + [target] { close(descriptor) } }
    let collector = FrameCollector(target: target, terminal: ends[1])
    defer { collector.close() }
    for round in ["first", "2nd"] {
      try #require(collector.begin())
      write("\(round) ", to: target)
      write("frame", to: target)
      #expect(String(decoding: collector.end(), as: UTF8.self) == "\(round) frame")
      write("line", to: target)
    }
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = read(ends[0], &bytes, bytes.count)
    #expect(String(decoding: bytes[..<count], as: UTF8.self) == "lineline")
  }

  private func write(_ text: String, to descriptor: CInt) {
    #expect(Glibc.write(descriptor, text, text.utf8.count) == text.utf8.count)
  }
}
