import Glibc
import Testing

@testable import natter

@Suite struct PipeEndTests {
  private func pipe() throws -> (end: CInt, other: CInt) {
    var ends: [CInt] = [-1, -1]
    try #require(Glibc.pipe(&ends) == 0)
    return (ends[0], ends[1])
  }

  @Test func `the wait ends when the other side is closed, and what was written is still there`()
    async throws
  {
    let (end, other) = try pipe()
    defer { close(end) }
    #expect(write(other, "why", 3) == 3)
    async let wait: Void = PipeEnd.wait(for: end, limit: .seconds(60))
    close(other)
    await wait
    var bytes = [UInt8](repeating: 0, count: 8)
    #expect(read(end, &bytes, 8) == 3)
  }

  @Test func `it ends with its task, and with its limit`() async throws {
    let (end, other) = try pipe()
    defer { for descriptor in [end, other] { close(descriptor) } }
    let task = Task { await PipeEnd.wait(for: end, limit: .seconds(600)) }
    task.cancel()
    await task.value
    await PipeEnd.wait(for: end, limit: .zero)
    // Both sides are still open: it was not the pipe that ended.
    #expect(fcntl(end, F_GETFD) >= 0 && fcntl(other, F_GETFD) >= 0)
  }
}
