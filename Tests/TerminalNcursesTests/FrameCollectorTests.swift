import Glibc
import Testing

@testable import TerminalNcurses

/// The output of ncurses for a frame, kept until it is complete.
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

  @Test func `a frame gets through whole where another program has left the terminal unwaiting`()
    async throws
  {
    var ends: [CInt] = [-1, -1]
    try #require(pipe(&ends) == 0)
    for end in ends { try #require(fcntl(end, F_SETFL, O_NONBLOCK) == 0) }
    let (reading, writing) = (ends[0], ends[1])
    defer { close(reading) }
    let frame = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0) }
    let reader = Task.detached {
      var all: [UInt8] = []
      var part = [UInt8](repeating: 0, count: 1 << 16)
      while true {
        let count = read(reading, &part, part.count)
        if count == 0 { return all }
        if count > 0 { all += part[..<count] } else if errno != EAGAIN { return all }
        await Task.yield()
      }
    }
    await Task.detached {
      frame.withUnsafeBytes { WholeWrite.write($0, to: writing) }
      close(writing)
    }.value
    #expect(await reader.value == frame)
  }

  private func write(_ text: String, to descriptor: CInt) {
    #expect(Glibc.write(descriptor, text, text.utf8.count) == text.utf8.count)
  }
}
