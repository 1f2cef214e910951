import Foundation
import System
import TestSupport
import Testing

/// The start of other programs: what they inherit, and what a failed start leaves.
@Suite struct ProcessStartTests {
  @Test func `a program inherits its three streams and no other descriptor`() async throws {
    let folder = try TemporaryFolder("start")
    let file = folder.path("descriptors")
    let inheritable = open("/dev/null", O_RDONLY)
    defer { close(inheritable) }
    let script = "ls /proc/$$/fd > \"$0.part\"; mv \"$0.part\" \"$0\""
    let program = try #require(OtherProgram("/bin/sh", ["-c", script, file], environment: [:]))
    #expect(program.start())
    try await until { FileManager.default.fileExists(atPath: file) }
    #expect(try String(contentsOfFile: file, encoding: .utf8) == "0\n1\n2\n")
    withExtendedLifetime(folder) {}
  }

  @Test func `a program whose input exceeds a pipe leaves no descriptor open`() async throws {
    let run = ProgramRun(
      path: "/bin/cat", arguments: [], input: [UInt8](repeating: 0, count: 2 << 20))
    let before = openDescriptors()
    for _ in 0..<100 {
      await #expect(throws: ProgramRun.Failure.notStarted) {
        _ = try await run.result(within: .seconds(120))
      }
    }
    // Suites that run beside this one have some open too.
    try await until { openDescriptors() < before + 100 }
  }
}
