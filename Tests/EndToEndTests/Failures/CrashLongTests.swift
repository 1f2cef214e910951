import Foundation
import TestSupport
import Testing

/// Crashes at random moments: nothing of the user is in a report, and the terminal is usable.
@Suite(.serialized, .long) struct CrashLongTests {
  private static let crashes = 50
  private static let password = "canary-password-7d1e"

  @Test func `no report of 50 crashes has text of the user, and each gives the terminal back`()
    async throws
  {
    let server = try await ServerKind.builtIn.start(
      users: ["crash": Self.password, "bob": "geheim"])
    let bob = try await SlixmppPeer(server.jid("bob"), password: "geheim", server: server)
    // The same number of keys each time; the moments are those of the scheduler.
    var random = SeededGenerator(seed: 36)
    for number in 1...Self.crashes {
      let home = try Home()
      let run = try NatterRun.account(
        server.jid("crash"), Self.password, on: server, home: home,
        environment: ["SWIFT_BACKTRACE": "enable=no"])
      try await run.waitsOnline()
      try await run.open(chat: server.jid("bob"))
      try await run.say("canary-sent-\(number)")
      _ = try await bob.send("canary-received-\(number)", to: server.jid("crash"))
      try await run.shows("canary-sent-\(number)", "canary-received-\(number)")
      // The signal comes anywhere among these keys and the work for them.
      let keys = Array("canary-typed-\(number)").prefix(Int.random(in: 1...15, using: &random))
      for key in keys { run.terminal.type(String(key)) }
      run.terminal.child.signal(SIGSEGV)
      #expect(await run.terminal.child.waitsForEnd(upTo: .seconds(60)) == .signalled(SIGSEGV))
      #expect(run.terminal.isGivenBack(), "crash \(number)")
      let names = try FileManager.default.contentsOfDirectory(atPath: home.state.path)
        .filter { $0.hasPrefix("crash-") }
      #expect(names.count == 1, "crash \(number): \(names)")
      for name in names {
        let report = try String(
          contentsOfFile: home.state.appending(path: name).path, encoding: .utf8)
        #expect(!report.contains("canary"), "crash \(number)")
        #expect(!report.contains(server.domain), "crash \(number)")
      }
    }
  }
}
