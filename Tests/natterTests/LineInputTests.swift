import Glibc
import Testing

@testable import natter

// Away from the main actor: where many other suites use it, one step of a test can wait for
// minutes.
@Suite(.timeLimit(.minutes(6))) nonisolated struct LineInputTests {
  private func lines(of input: LineInput) async -> [String] {
    var lines: [String] = []
    for await line in input.lines { lines.append(line) }
    return lines
  }

  /// Both ends of a new pipe. Nobody closes the reader: somebody may still wait for what it brings.
  private func makePipe() -> (reader: CInt, writer: CInt) {
    var ends: [CInt] = [-1, -1]
    #expect(pipe(&ends) == 0)
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
  }

  private func write(_ text: String, to descriptor: CInt) {
    #expect(Glibc.write(descriptor, text, text.utf8.count) == text.utf8.count)
  }

  @Test func `what cannot be watched ends at once`() async {
    let descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC)
    #expect(await lines(of: LineInput(descriptor: descriptor)) == [])
  }

  @Test func `a descriptor that is none ends at once`() async {
    let (reader, writer) = makePipe()
    close(writer)
    #expect(dup2(reader, 900) == 900)
    close(900)
    #expect(await lines(of: LineInput(descriptor: 900)) == [])
  }

  @Test(arguments: ["", "\n", "/help\n", "one\ntwo\n", "one\ntwo, and no end of the line"])
  func `a pipe whose writer is gone already is read to its end`(text: String) async {
    let (reader, writer) = makePipe()
    write(text, to: writer)
    close(writer)
    let wanted = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    #expect(
      await lines(of: LineInput(descriptor: reader))
        == (wanted.last == "" ? wanted.dropLast() : wanted))
  }

  @Test func `lines come as they are written, in pieces, and longer than one read`() async {
    let (reader, writer) = makePipe()
    let input = LineInput(descriptor: reader)
    var lines = input.lines.makeAsyncIterator()
    write("fir", to: writer)
    write("st\nsec", to: writer)
    #expect(await lines.next() == "first")
    let long = String(repeating: "é", count: 9_000)
    write("ond\n\(long)\n", to: writer)
    #expect(await lines.next() == "second")
    #expect(await lines.next() == long)
    write("rest", to: writer)
    close(writer)
    #expect(await lines.next() == "rest")
    #expect(await lines.next() == nil)
  }

  @Test func `lines begin and end anywhere in what is read at once`() async {
    let (reader, writer) = makePipe()
    let wanted = [4095, 0, 1, 4096, 9000, 0, 0, 3].map { String(repeating: "x", count: $0) }
    write(wanted.joined(separator: "\n"), to: writer)
    close(writer)
    #expect(await lines(of: LineInput(descriptor: reader)) == wanted)
  }

  @Test func `what a script wrote stays in its pipe until the lines before are taken`() async {
    let (reader, writer) = makePipe()
    let line = String(repeating: "x", count: 6000)
    write("\(line)\n\(line)\n\(line)\n", to: writer)
    close(writer)
    var lines = LineInput(descriptor: reader).lines.makeAsyncIterator()
    // 4096 bytes are read at once.
    for left in [18_003 - 2 * 4096, 18_003 - 3 * 4096] {
      #expect(await lines.next() == line)
      var count: CInt = -1
      #expect(ioctl(reader, UInt(FIONREAD), &count) == 0)
      #expect(Int(count) == left)
    }
    #expect(await lines.next() == line)
    #expect(await lines.next() == nil)
  }

  @Test func `once ended it stops, and reads no more`() async {
    let (reader, writer) = makePipe()
    let input = LineInput(descriptor: reader)
    input.end()
    write("late\n", to: writer)
    #expect(await lines(of: input) == [])
    close(writer)
  }
}
