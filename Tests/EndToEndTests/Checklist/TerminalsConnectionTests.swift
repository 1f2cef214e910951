import Foundation
import TestSupport
import Testing

/// The checklist (interface.md, "Checklist") on each of the terminals that people have: a server
/// that is not there, or does not want one.
@Suite(.requires(.prosody, .openssl, .slixmpp), .limitedConcurrency) struct TerminalsConnectionTests
{
  /// Starts Natter with an account that cannot be signed in to.
  private func start(
    _ jid: String, server: String, on terminal: TerminalDescription, _ more: [String] = []
  ) throws -> NatterRun {
    let home = try Home()
    try home.folder.write("not the password\n", to: "password")
    return try NatterRun(
      ["--account", jid, "--server", server, "--password-file", home.folder.path("password")]
        + more,
      home: home, rows: 24, columns: 80, terminal: terminal.name)
  }

  @Test func `8: refused, unknown host, wrong password and bad certificate have four texts`()
    async throws
  {
    var options = XMPPServerOptions()
    options.hasBadCertificates = true
    let server = try await ProsodyServer(options, users: ["alice": "right"])
    let closed = try LoopbackPort.free()
    let trust = ["--ca-file", server.authority.certificate]
    for terminal in TerminalDescription.testable {
      let refused = try start(
        "alice@natter.test", server: "127.0.0.1:\(closed)", on: terminal)
      let unknown = try start("alice@natter.test", server: "host.invalid:5222", on: terminal)
      let certificate = try start(
        "alice@selfsigned.test", server: server.address, on: terminal, trust)
      let password = try start(server.jid("alice"), server: server.address, on: terminal, trust)
      try await refused.shows("connection refused", "127.0.0.1, port \(closed)")
      try await unknown.shows("the server's name is unknown", "host.invalid, port 5222")
      try await certificate.shows("self-signed", "127.0.0.1, port \(server.port)")
      try await password.shows("Wrong password", "127.0.0.1, port \(server.port)")
      // The form is there to type another one.
      #expect(password.screen.contains("Password"))
      for run in [refused, unknown, certificate, password] {
        #expect(await run.quit() == .exited(0))
        #expect(run.terminal.isGivenBack() && run.screen.unknown == [])
      }
    }
    await server.stop()
  }

  @Test
  func `37, 38: what is written without a server is kept, seen to wait, and sent when one is back`()
    async throws
  {
    let terminals = TerminalDescription.testable
    let names = terminals.indices.map { "user\($0)" }
    var users = Dictionary(uniqueKeysWithValues: names.map { ($0, "secret") })
    users["bob"] = "secret"
    let server = try await ProsodyServer(users: users)
    // All of them on one server, which goes and comes back once.
    var runs: [NatterRun] = []
    for (terminal, name) in zip(terminals, names) {
      runs.append(
        try NatterRun.account(
          server.jid(name), "secret", on: server, rows: 24, columns: 80, terminal: terminal.name))
    }
    for run in runs {
      try await run.waitsOnline()
      try await run.open(chat: server.jid("bob"))
    }
    await server.kill()
    for (run, name) in zip(runs, names) {
      try await run.expects("the end of online in the tab bar") {
        !$0.text(row: 0).isEmpty && !$0.text(row: 0).contains("online")
      }
      // When it tries again, also how that changes.
      try await run.expects("how long it waits") { screen in
        // Where it is too long for a row it goes on in the next one.
        let words = (2..<screen.rows).flatMap {
          screen.text(row: $0, columns: 22..<80).split(separator: " ")
        }
        return words.joined(separator: " ")
          .firstMatch(of: /Not connected \(.*\)\. Trying again in \d+:\d\d;/) != nil
      }
      try await run.say("from \(name)")
      try await run.shows("from \(name)", tick: ".")
    }
    try await server.restart()
    let bob = try await SlixmppPeer(server.jid("bob"), password: "secret", server: server)
    // By itself: no key is touched.
    for (run, terminal) in zip(runs, terminals) {
      try await run.expects("online again", upTo: .seconds(180)) {
        $0.text(row: 0).contains("online")
      }
      let tick = terminal.can(.wideGlyphs) ? "✓" : "v"
      try await run.expects("the message as sent") { screen in
        screen.lines.contains { $0.contains("you    from user") && $0.hasSuffix(tick) }
      }
    }
    for name in names {
      try await bob.message { $0.body == "from \(name)" }
      #expect(bob.events.count { $0.body == "from \(name)" } == 1)
    }
    for run in runs {
      #expect(run.screen.unknown == [])
      #expect(await run.quit() == .exited(0))
    }
    await bob.signOut()
    await server.stop()
  }
}
