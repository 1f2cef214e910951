import Foundation
import Testing

@testable import System

@Suite struct ReaderWatchTests {
  @Test func `the end of the last reader is reported without a write`() async throws {
    var ends: [CInt] = [-1, -1]
    try #require(pipe(&ends) == 0)
    defer { close(ends[1]) }
    let second = dup(ends[0])
    let watch = try #require(ReaderWatch(ends[1]))
    close(ends[0])
    // What is read is no end.
    #expect(write(ends[1], "x", 1) == 1)
    var byte: UInt8 = 0
    #expect(read(second, &byte, 1) == 1)
    close(second)
    await watch.ended()
    #expect(!Task.isCancelled)
  }

  @Test func `a cancelled wait ends, and other files are not watched`() async throws {
    var ends: [CInt] = [-1, -1]
    try #require(pipe(&ends) == 0)
    defer { for end in ends { close(end) } }
    let watch = try #require(ReaderWatch(ends[1]))
    let waiting = Task { await watch.ended() }
    waiting.cancel()
    await waiting.value
    let null = open("/dev/null", O_WRONLY)
    defer { close(null) }
    #expect(ReaderWatch(null) == nil)
  }
}
