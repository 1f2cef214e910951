import Foundation
import TestSupport
import Testing

/// `natter doctor` for the built-in server.
@Suite(.limitedConcurrency) struct DoctorTests {
  @Test func `an account of the built-in server is not looked for at its address`() async throws {
    let home = try Home()
    let line = try LineNatter(["--local"], home: home)
    #expect(try await polls { !home.listeningSockets.isEmpty })
    let run = try await CommandRun(
      Programs.natter, ["doctor", "me@localhost"], environment: home.environment(),
      directory: home.folder.root.path)
    #expect(run.status == .exited(0), "\(run.text)")
    #expect(run.text.contains("[ok] connection: the built-in server"), "\(run.text)")
    #expect(run.text.contains("] scripts: "), "\(run.text)")
    #expect(await line.quit() == .exited(0))
  }
}
