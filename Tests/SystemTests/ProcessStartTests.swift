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
    // A redirection of one command alone would have the shell keep a copy of its output.
    let script = "exec > \"$0.part\"; ls /proc/$$/fd; mv \"$0.part\" \"$0\""
    let program = try #require(OtherProgram("/bin/sh", ["-c", script, file], environment: [:]))
    #expect(program.start())
    try await until { FileManager.default.fileExists(atPath: file) }
    let found = try String(contentsOfFile: file, encoding: .utf8)
    #expect(found == "0\n1\n2\n")
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
