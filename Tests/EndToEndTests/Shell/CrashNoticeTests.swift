import Foundation
import TestSupport
import Testing

/// After a crash: a notice at the next start, a page, and nothing of the user in the report.
@Suite(.limitedConcurrency) struct CrashNoticeTests {
  @Test func `the next start says once that Natter crashed, and the report can be read`()
    async throws
  {
    let home = try Home()
    let me = try NatterRun.local(home: home, environment: ["SWIFT_BACKTRACE": "enable=no"])
    try await me.waitsOnline()
    try await me.open(chat: "natter@localhost")
    try await me.say("canary-sent")
    try await me.shows("canary-sent", tick: "✓✓")
    try await me.type("canary-typed")
    me.terminal.child.signal(SIGSEGV)
    #expect(await me.terminal.child.waitsForEnd(upTo: .seconds(60)) == .signalled(SIGSEGV))
    let names = try FileManager.default.contentsOfDirectory(atPath: home.state.path)
      .filter { $0.hasPrefix("crash-") }
    let name = try #require(names.first)
    let text = try String(
      contentsOfFile: home.state.appending(path: name).path, encoding: .utf8)
    #expect(!text.contains("canary") && !text.contains("localhost"))

    let again = try NatterRun.local(home: home)
    try await again.shows("Natter crashed last time")
    #expect(await again.quit() == .exited(0))
    let seen = try String(
      contentsOfFile: home.state.appending(path: "crash-seen").path, encoding: .utf8)
    #expect(name == "crash-\(seen.dropLast()).txt")

    let third = try NatterRun.local(home: home)
    try await third.waitsOnline()
    #expect(third.count(of: "crashed") == 0)
    #expect(await third.quit() == .exited(0))
    let report = try await CommandRun(
      Programs.natter, ["doctor", "--crash"], environment: home.environment())
    #expect(report.status == .exited(0) && report.text.contains("signal 11"), "\(report.text)")
  }
}
