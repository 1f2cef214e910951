import Foundation
import TestSupport
import Testing

/// Every way in which a connection can fail: reported in a sentence, with a next step, and with an
/// exit code; keys always work.
@Suite(.requires(.prosody, .openssl), .limitedConcurrency) struct ConnectionFailureTests {
  let home: Home
  init() throws { home = try Home() }

  @Test(arguments: ConnectionFault.allCases)
  func `the full screen says what is wrong, and goes on`(fault: ConnectionFault) async throws {
    let site = try await fault.site()
    let natter = try site.screen(home: home)
    if fault == .neverAnswers {
      // Nothing covers the shell while it waits.
      try await natter.shows("connecting")
      try await natter.type("a draft")
      natter.terminal.press(.f1)
      try await natter.shows("Help:")
      natter.terminal.press(.escape)
      try await natter.hides("Help:")
      try await natter.shows("a draft")
    }
    if fault == .wrongPassword {
      try await natter.shows("Sign in", "Wrong password.", "capitals count", upTo: .seconds(120))
      natter.terminal.press(.f1)
      try await natter.shows("Help:")
      natter.terminal.press(.escape)
      try await natter.hides("Help:")
      // The whole form is back: the part that is drawn last shows that the next Esc has an effect.
      try await natter.shows("Sign in", "Wrong password.")
      natter.terminal.press(.escape)
      try await natter.hides("Wrong password.")
    } else {
      try await natter.shows("Not connected", fault.text, "Try now", upTo: .seconds(150))
      // Help covers it, and uncovers it again.
      natter.terminal.press(.f1)
      try await natter.shows("Help:")
      natter.terminal.press(.escape)
      try await natter.hides("Help:")
      try await natter.shows("Not connected", "Try now")
      natter.terminal.press(.escape)
      try await natter.hides("Try now")
    }
    if fault != .wrongPassword {
      natter.terminal.press(.f1)
      try await natter.shows("Help:")
      natter.terminal.press(.escape)
      try await natter.hides("Help:")
    }
    if fault == .neverAnswers {
      try await natter.shows("a draft")
    } else {
      try await natter.type("still here")
    }
    #expect(await natter.quit() == .exited(0))
    #expect(natter.terminal.isCooked)
  }

  @Test(arguments: ConnectionFault.allCases)
  func `natter login says it too, with an exit code, and stores nothing`(fault: ConnectionFault)
    async throws
  {
    let site = try await fault.site()
    let run = try await site.command(["login", FaultySite.account], home: home)
    #expect(run.status == .exited(fault.exitCode))
    #expect(run.text == "")
    #expect(run.errorText.hasPrefix("natter: "))
    #expect(run.errorText.lowercased().contains(fault.text), "\(run.errorText)")
    #expect(!run.errorText.contains(FaultySite.password))
    // What, where or why, and what to do now.
    #expect(run.errorText.split(separator: "\n").count >= 3)
    for file in home.folder.files where file != "password" {
      let data = try Data(contentsOf: home.folder.url(file))
      #expect(!data.contains(sequence: Array(FaultySite.password.utf8)), "\(file)")
    }
    let accounts = try await CommandRun(
      Programs.natter, ["accounts"], environment: home.environment())
    #expect(accounts.text == "")
  }

  @Test(arguments: [
    ConnectionFault.untrusted, .selfSigned, .expired, .notYetValid, .wrongName,
  ])
  func `for an invalid certificate the host and the name that was checked are shown`(
    fault: ConnectionFault
  ) async throws {
    let site = try await fault.site()
    let address = try #require(site.options.dropFirst().first).split(separator: ":")
    let run = try await site.command(["login", FaultySite.account], home: home)
    #expect(
      run.errorText.contains("Where: 127.0.0.1, port \(address[1]), for natter.test\n"),
      "\(run.errorText)")
    let natter = try site.form(home: home)
    try await natter.shows("Sign in", "alice@natter.test", "Password")
    natter.terminal.type(FaultySite.password)
    natter.terminal.press(.enter)
    try await natter.shows(
      "Certificate refused", "127.0.0.1, port \(address[1]), for natter.test", upTo: .seconds(120))
    natter.terminal.press(.escape)
    try await natter.hides("Certificate refused")
    #expect(await natter.quit() == .exited(0))
  }

  @Test(arguments: ConnectionFault.allCases)
  func `natter send keeps the message for the next time`(fault: ConnectionFault) async throws {
    let site = try await fault.site()
    let run = try await site.command(["send", "bob@natter.test", "kept"], home: home)
    #expect(run.status == .exited(fault.exitCode))
    #expect(run.text == "")
    #expect(run.errorText.lowercased().contains(fault.text), "\(run.errorText)")
    #expect(run.errorText.contains("The message is kept"))
  }

  @Test(arguments: [
    ConnectionFault.wrongPassword, .refusedPort, .expired, .garbage, .garbageInTLS,
    .garbageWithoutTLS, .unknownHost,
  ])
  func `natter doctor reports it`(fault: ConnectionFault) async throws {
    let site = try await fault.site()
    let run = try await site.command(["doctor", FaultySite.account], home: home)
    #expect(run.status == .exited(1))
    #expect(run.errorText == "")
    let bad = run.text.split(separator: "\n").filter { $0.hasPrefix("[BAD] connection") }
    #expect(bad.contains { $0.lowercased().contains(fault.text) }, "\(run.text)")
    #expect(!run.text.contains(FaultySite.password))
  }

  @Test(arguments: ConnectionFault.allCases)
  func `the sign-in form says what is wrong, and can be tried again`(fault: ConnectionFault)
    async throws
  {
    let site = try await fault.site()
    let natter = try site.form(home: home)
    try await natter.shows("Sign in", "alice@natter.test", "Password")
    natter.terminal.type(FaultySite.password)
    try await natter.expects("the password, hidden") { screen in
      ["•", "*", "●"].contains { screen.contains(String(repeating: $0, count: 8)) }
    }
    natter.terminal.press(.enter)
    if fault == .neverAnswers {
      try await natter.shows("Esc stops.")
      natter.terminal.press(.escape)
      try await natter.shows("Stopped. Nothing was changed.")
    } else if fault.concernsCertificate {
      try await natter.shows("Certificate refused", "Nothing was sent to it", upTo: .seconds(120))
      try await natter.shows(fault.text)
      natter.terminal.press(.escape)
      try await natter.hides("Certificate refused")
    } else {
      let headline = fault.text.prefix(1).uppercased() + fault.text.dropFirst() + "."
      try await natter.shows(headline, upTo: .seconds(120))
    }
    natter.terminal.press(.f1)
    try await natter.shows("Help:")
    natter.terminal.press(.escape)
    try await natter.hides("Help:")
    try await natter.shows("Sign in", "alice@natter.test")
    #expect(!natter.terminal.rawOutput.contains(sequence: Array(FaultySite.password.utf8)))
    #expect(await natter.quit() == .exited(0))
    #expect(natter.terminal.isCooked)
  }

  @Test(.requires(.ejabberd), arguments: ServerKind.with(.encryption))
  func `mixing up the ports of the two kinds of TLS is reported`(kind: ServerKind) async throws {
    let server = try await kind.start(users: ["alice": FaultySite.password])
    let encryption = try #require(server.encryption)
    let site = FaultySite(
      options: [
        "--server", "\(server.host):\(encryption.directPort)", "--tls", "starttls", "--ca-file",
        encryption.certificate,
      ], server: server)
    let run = try await site.command(["login", FaultySite.account], home: home)
    #expect(run.status == .exited(69))
    #expect(
      run.errorText.contains("direct TLS and STARTTLS have different ports"), "\(run.errorText)")
    await server.stop()
  }
}
