import Foundation
import TestSupport
import Testing

/// Changes of an account on its server: a new password, its deletion, an invitation to create one.
@Suite(.requires(.prosody, .ejabberd), .timeLimit(.minutes(6))) struct AccountChangeTests {
  private static func server(_ kind: ServerKind, hasTokens: Bool = false) async throws
    -> any XMPPServer
  {
    var options = XMPPServerOptions()
    options.allowsRegistration = true
    options.hasTokens = hasTokens
    return try await kind.start(options, users: ["alice": "geheim", "bob": "geheim"])
  }

  /// Indicates whether this password opens the account.
  private static func signsIn(_ password: String, on server: any XMPPServer) async throws -> Bool {
    let home = try Home()
    try home.folder.write(password + "\n", to: "password")
    let run = try await CommandRun(
      Programs.natter,
      ["login", server.jid("alice")]
        + NatterRun.options(server.jid("alice"), on: server).dropFirst(2)
        + ["--password-file", home.folder.path("password")],
      environment: home.environment(terminal: "dumb", language: "C.UTF-8"))
    return run.status == .exited(0)
  }

  @Test(arguments: ServerKind.allCases)
  func `another password is good at once, and the old one is not`(kind: ServerKind) async throws {
    let server = try await Self.server(kind)
    let natter = try NatterRun.account(server.jid("alice"), "geheim", on: server)
    try await natter.waitsOnline()
    try await natter.enter("/password")
    try await natter.shows("Change password", "New password")
    natter.terminal.type("neu 1")
    natter.terminal.press(.tab)
    natter.terminal.type("neu 2")
    natter.terminal.press(.enter)
    try await natter.shows("do not match")
    natter.terminal.press(.end, .control("u"))
    natter.terminal.type("neu 1")
    natter.terminal.press(.enter)
    try await natter.shows("The password is changed")
    natter.terminal.press(.enter)
    try await natter.hides("The password is changed")
    #expect(await natter.quit() == .exited(0))
    #expect(try await Self.signsIn("neu 1", on: server))
    #expect(try await !Self.signsIn("geheim", on: server))
    await server.stop()
  }

  /// Types what deletes the account, up to its very end.
  private static func delete(_ natter: NatterRun, _ jid: String, withMessages: Bool) async throws {
    try await natter.enter("/unregister")
    try await natter.shows("Delete the account", "Continue")
    natter.terminal.press(.tab, .enter)
    try await natter.shows("type its address")
    natter.terminal.type("bob@natter.test")
    natter.terminal.press(.tab)
    if withMessages { natter.terminal.press(.text(" ")) }
    natter.terminal.press(.tab, .tab, .enter)
    try await natter.shows("not the address of this account")
    natter.terminal.press(.end, .control("u"))
    natter.terminal.type(jid)
    natter.terminal.press(.tab, .tab, .tab, .enter)
  }

  @Test(arguments: ServerKind.allCases)
  func `an account is deleted after two questions, and its messages with it where that is wanted`(
    kind: ServerKind
  ) async throws {
    let server = try await Self.server(kind)
    let natter = try NatterRun.account(server.jid("alice"), "geheim", on: server)
    try await natter.waitsOnline()
    try await Self.delete(natter, server.jid("alice"), withMessages: true)
    try await natter.shows(
      "Sign in", "Password", "\(server.jid("alice")) is deleted, and its messages")
    #expect(await natter.quit() == .exited(0))
    #expect(try await !Self.signsIn("geheim", on: server))
    let files = try FileManager.default.contentsOfDirectory(
      atPath: natter.home.data.appending(path: "accounts").path)
    #expect(files.filter { $0.contains("alice") } == [])
    await server.stop()
  }

  @Test func `an account is deleted that is signed in to by token`() async throws {
    // ejabberd ends the stream instead of answering, and still accepts the token.
    let made = try await Self.server(.ejabberd, hasTokens: true)
    let server = try #require(made as? EjabberdServer)
    let home = try Home()
    let login = try await home.logsIn(server.jid("alice"), on: server, over: server.webURL)
    #expect(login.status == .exited(0), "\(login.errorText)")
    let secrets = home.data.appending(path: "credentials")
    #expect(try String(contentsOf: secrets, encoding: .utf8).contains("sasl_auth"))
    let natter = try NatterRun([], home: home, rows: 36)
    try await natter.waitsOnline()
    try await Self.delete(natter, server.jid("alice"), withMessages: false)
    try await natter.shows("Sign in", "Password", "\(server.jid("alice")) is deleted.")
    #expect(await natter.quit() == .exited(0))
    #expect(try await !Self.signsIn("geheim", on: server))
    let kept = try? String(contentsOf: secrets, encoding: .utf8)
    #expect(kept?.contains("sasl_auth") != true)
    await server.stop()
  }

  @Test(arguments: [false, true])
  func `signing out forgets the password, and the messages where that is wanted`(
    deletesMessages: Bool
  ) async throws {
    let server = try await Self.server(.prosody)
    let home = try Home()
    try home.folder.write("geheim\n", to: "password")
    let login = try await CommandRun(
      Programs.natter,
      ["login", server.jid("alice")]
        + NatterRun.options(server.jid("alice"), on: server).dropFirst(2)
        + ["--password-file", home.folder.path("password")],
      environment: home.environment(terminal: "dumb", language: "C.UTF-8"))
    #expect(login.status == .exited(0), "\(login.errorText)")
    let natter = try NatterRun([], home: home, rows: 36)
    try await natter.waitsOnline()
    try await natter.open(chat: server.jid("bob"))
    try await natter.say("to be kept or not")
    try await natter.shows("to be kept or not", tick: "✓")
    try await natter.enter("/logout")
    try await natter.shows("Sign out of \(server.jid("alice"))?", "delete messages")
    natter.terminal.press(.tab)
    if deletesMessages { natter.terminal.press(.tab) }
    natter.terminal.press(.enter)
    try await natter.shows("Sign in", "Password")
    #expect(await natter.quit() == .exited(0))
    let kept = try? String(contentsOf: home.data.appending(path: "credentials"), encoding: .utf8)
    #expect(kept?.contains("geheim") != true)
    let files = try FileManager.default.contentsOfDirectory(
      atPath: home.data.appending(path: "accounts").path)
    #expect(files.contains { $0.contains("alice") } != deletesMessages, "\(files)")
    // After the next sign-in, the kept messages are there.
    let again = try NatterRun(
      NatterRun.options(server.jid("alice"), on: server), home: home, rows: 36)
    try await again.shows("Sign in", server.jid("alice"), "Password")
    again.terminal.type("geheim")
    again.terminal.press(.enter)
    try await again.waitsOnline()
    if !deletesMessages {
      try await again.open(chat: server.jid("bob"))
      try await again.shows("to be kept or not")
    }
    #expect(await again.quit() == .exited(0))
    await server.stop()
  }
}
