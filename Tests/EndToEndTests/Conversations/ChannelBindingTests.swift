import Foundation
import TestSupport
import Testing

/// SCRAM tied to the TLS connection, with servers that know different bindings, and a server that
/// has less to offer than the last time.
@Suite(.requires(.prosody, .ejabberd), .timeLimit(.minutes(6))) struct ChannelBindingTests {
  private static func login(
    _ home: Home, on server: any XMPPServer, password: String = "geheim", _ options: [String] = []
  ) async throws -> CommandRun {
    try home.folder.write(password + "\n", to: "password")
    return try await CommandRun(
      Programs.natter,
      ["login", server.jid("alice")]
        + NatterRun.options(server.jid("alice"), on: server).dropFirst(2)
        + ["--password-file", home.folder.path("password"), "--log-level", "debug"] + options,
      environment: home.environment(terminal: "dumb", language: "C.UTF-8"))
  }

  /// Returns the stored mechanisms of the accounts.
  private static func signIns(of home: Home) throws -> String {
    try String(contentsOf: home.data.appending(path: "sign-ins"), encoding: .utf8)
  }

  private static func options(
    withholding mechanisms: [String], isLimitedToTLS12: Bool = false
  ) -> XMPPServerOptions {
    var options = XMPPServerOptions()
    options.withheldMechanisms = mechanisms
    options.isLimitedToTLS12 = isLimitedToTLS12
    return options
  }

  @Test func `Natter signs in to a Prosody that offers only -PLUS, bound by tls-unique`()
    async throws
  {
    let server = try await ProsodyServer(
      Self.options(withholding: ["PLAIN", "SCRAM-SHA-1"], isLimitedToTLS12: true),
      users: ["alice": "geheim"])
    let home = try Home()
    let wrong = try await Self.login(home, on: server, password: "falsch")
    #expect(wrong.status == .exited(77))
    #expect(wrong.errorText.contains("Wrong password"), "\(wrong.errorText)")
    let right = try await Self.login(home, on: server)
    #expect(right.status == .exited(0), "\(right.errorText)")
    #expect(try Self.signIns(of: home).contains("tls-unique"))
    await server.stop()
  }

  @Test(arguments: [true, false])
  func `ejabberd that offers only -PLUS is signed in to`(isLimitedToTLS12: Bool) async throws {
    let server = try await EjabberdServer(
      Self.options(withholding: ["plain", "scram-sha-1"], isLimitedToTLS12: isLimitedToTLS12),
      users: ["alice": "geheim"])
    let home = try Home()
    let wrong = try await Self.login(home, on: server, password: "falsch")
    #expect(wrong.status == .exited(77))
    #expect(wrong.errorText.contains("Wrong password"), "\(wrong.errorText)")
    for _ in 0..<2 {
      let right = try await Self.login(home, on: server)
      #expect(right.status == .exited(0), "\(right.errorText)")
    }
    let kept = try Self.signIns(of: home)
    #expect(kept.contains("bound-proof") && kept.contains("tls-unique"), "\(kept)")
    await server.stop()
  }

  @Test func `a server that offers PLAIN where it offered SCRAM is not shown the password`()
    async throws
  {
    let home = try Home()
    let before = try await ProsodyServer(users: ["alice": "geheim"])
    let first = try await Self.login(home, on: before)
    #expect(first.status == .exited(0), "\(first.errorText)")
    await before.stop()
    let after = try await ProsodyServer(
      Self.options(withholding: ["SCRAM-SHA-1", "SCRAM-SHA-1-PLUS"]), users: ["alice": "geheim"])
    // Without a terminal nobody can be asked, whichever command it is.
    let login = try await Self.login(home, on: after)
    #expect(login.status == .exited(77))
    #expect(login.errorText.contains("--accept-weaker-sign-in"), "\(login.errorText)")
    let send = try await CommandRun(
      Programs.natter,
      ["send", after.jid("alice"), "hello"]
        + NatterRun.options(after.jid("alice"), on: after)
        + ["--password-file", home.folder.path("password")],
      environment: home.environment(terminal: "dumb", language: "C.UTF-8"))
    #expect(send.status == .exited(77))
    #expect(send.errorText.contains("--accept-weaker-sign-in"), "\(send.errorText)")
    #expect(try Self.signIns(of: home).contains("proof"))
    // Said once, it is what is expected from then on.
    for options in [["--accept-weaker-sign-in"], []] {
      let accepted = try await Self.login(home, on: after, options)
      #expect(accepted.status == .exited(0), "\(accepted.errorText)")
    }
    await after.stop()
  }

  @Test func `a user who is shown the form is asked before a weaker sign-in`() async throws {
    let home = try Home()
    let before = try await ProsodyServer(users: ["alice": "geheim"])
    #expect(try await Self.login(home, on: before).status == .exited(0))
    await before.stop()
    let after = try await ProsodyServer(
      Self.options(withholding: ["SCRAM-SHA-1", "SCRAM-SHA-1-PLUS"]), users: ["alice": "geheim"])
    let run = try NatterRun(NatterRun.options(after.jid("alice"), on: after), home: home)
    try await run.shows("Weaker sign-in")
    run.terminal.press(.tab)
    run.terminal.press(.enter)
    try await run.hides("Weaker sign-in")
    run.terminal.type("geheim")
    run.terminal.press(.enter)
    try await run.waitsOnline()
    #expect(await run.quit() == .exited(0))
    await after.stop()
  }
}
