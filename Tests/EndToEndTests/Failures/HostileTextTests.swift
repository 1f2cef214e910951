import Foundation
import TestSupport
import Testing

/// Text from others never reaches the terminal as a control sequence.
@Suite(.limitedConcurrency) struct HostileTextTests {
  let home: Home
  init() throws { home = try Home() }

  /// XML allows these: C1 controls (CSI, OSC, ST), directions, invisible and private characters.
  static let controls = "\u{9b}31m\u{9d}0;owned\u{9c}\u{85}\u{7f}\u{202e}\u{2066}\u{200b}\u{feff}"

  /// XTSAVE and XTRESTORE of Alt's mode, which the test's own terminal does not know.
  static func isOfTheTerminal(_ sequence: String) -> Bool {
    ["\\e[?1036s", "\\e[?1036r"].contains(sequence)
  }

  /// No byte that a terminal could take for a command, and none that reverses text.
  func expectHarmless(_ bytes: [UInt8], sourceLocation: SourceLocation = #_sourceLocation) {
    let text = String(decoding: bytes, as: UTF8.self)
    let bad = text.unicodeScalars.filter {
      (0x7f...0x9f).contains($0.value) || (0x202a...0x202e).contains($0.value)
        || (0x2066...0x2069).contains($0.value)
    }
    #expect(
      bad.isEmpty, "\(Set(bad.map { String($0.value, radix: 16) }))",
      sourceLocation: sourceLocation)
  }

  @Test(.requires(.prosody, .slixmpp))
  func `messages, names and status texts are only text`() async throws {
    let server = try await ProsodyServer(users: ["alice": "a", "mallory": "m"])
    let mallory = try await SlixmppPeer(server.jid("mallory"), password: "m", server: server)
    let alice = try NatterRun.account(server.jid("alice"), "a", on: server, home: home)
    try await alice.waitsOnline()
    try await alice.open(chat: server.jid("mallory"))
    try await mallory.send("before\(Self.controls)after", to: server.jid("alice"))
    try await alice.shows("before", "after")
    // References for what XML forbids are no XML: the server has to drop them, or its author.
    try await mallory.send(
      xml: "<message type='chat' to='\(server.jid("alice"))'><body>escaped&#x9b;2J&#x9d;8;;x&#x9c;"
        + "end</body><nick xmlns='http://jabber.org/protocol/nick'>Mal&#x202e;lory</nick></message>"
    )
    try await alice.shows("escaped", "end")
    // Directed presence needs no subscription.
    try await mallory.send(
      xml: "<presence to='\(server.jid("alice"))'><show>away</show>"
        + "<status>gone&#x9b;5m&#x202e;fishing</status></presence>")
    try await mallory.send(
      xml: "<presence type='subscribe' to='\(server.jid("alice"))'><status>let&#x9b;me</status>"
        + "</presence>")
    try await mallory.send("the last one", to: server.jid("alice"))
    try await alice.shows("the last one")
    #expect(alice.screen.title != "owned")
    #expect(alice.screen.systemCommands.allSatisfy { !$0.contains("owned") })
    #expect(alice.screen.unknown.allSatisfy(Self.isOfTheTerminal))
    #expect(alice.screen.malformedBytes == 0)
    #expect(await alice.quit() == .exited(0))
    expectHarmless(alice.terminal.rawOutput)
    await server.stop()
  }

  @Test func `a server's text is never more than text`() async throws {
    let server = try MisbehavingServer(
      .streamError("policy-violation", text: "begin\(Self.controls)end"))
    let site = FaultySite(
      options: ["--server", server.address, "--tls", "starttls"], server: server)
    let natter = try site.screen(home: home)
    try await natter.shows("Not connected", "begin", "end")
    #expect(await natter.quit() == .exited(0))
    expectHarmless(natter.terminal.rawOutput)
    #expect(natter.screen.unknown.allSatisfy(Self.isOfTheTerminal))

    let other = try Home()
    for command in [
      ["login", FaultySite.account], ["send", "bob@natter.test", "x"],
      ["doctor", FaultySite.account],
    ] {
      let run = try await site.command(command, home: other)
      let said = run.output + run.errors
      #expect(String(decoding: said, as: UTF8.self).contains("begin"), "\(command)")
      expectHarmless(said)
      #expect(!said.contains(0x1b))
    }
  }

  @Test(.requires(.slixmpp), arguments: ["C", "C.UTF-8"])
  func `a terminal that is not in UTF-8 is written nothing but ASCII, and it is said what to do`(
    language: String
  ) async throws {
    // It draws both bytes of the letter that it is asked about.
    let run = try NatterRun(
      ["--local"], home: home, rows: 24, columns: 100, language: language,
      widened: ["\u{EB}"])
    try await run.shows("online", "This terminal is not in UTF-8", "screen -U")
    let mark = run.terminal.outputCount
    let bob = try await run.peer("bob")
    try await run.open(chat: "bob@localhost")
    // Its first letter is DB 9B, of which the second byte is CSI there.
    try await bob.send("\u{6DB}2J and \u{65E5}\u{1F44D} on", to: "me@localhost")
    try await run.shows("bob    ?2J and ???? on")
    try await run.adds("caf\u{E9}", toHave: "caf?")
    run.terminal.press(.enter)
    try await bob.message { $0.body == "caf\u{E9}" }
    try await run.shows("you    caf?")
    #expect(await run.quit() == .exited(0))
    let output = run.terminal.rawOutput
    #expect(output.dropFirst(mark).allSatisfy { $0 < 0x80 })
    if language == "C" {
      #expect(output.filter { $0 >= 0x80 } == Array("\u{EB}".utf8))
    }
    await bob.signOut()
  }

  @Test func `an escape in a stanza is no XML, and does not come through`() async throws {
    let server = try MisbehavingServer(
      .opensStreamAndSays("<stream:error><policy-violation \u{1b}]0;owned\u{7}/></stream:error>"))
    let site = FaultySite(
      options: ["--server", server.address, "--tls", "starttls"], server: server)
    let natter = try site.screen(home: home)
    try await natter.shows("Not connected", "protocol error")
    #expect(natter.screen.title != "owned")
    #expect(await natter.quit() == .exited(0))
    let run = try await site.command(["login", FaultySite.account], home: try Home())
    #expect(run.status == .exited(69))
    #expect(!run.errors.contains(0x1b))
  }

  @Test func `what comes from the command line is said back harmlessly`() async throws {
    for arguments in [
      ["--\u{1b}[31mred"], ["\u{1b}]0;owned\u{7}"], ["send", "\u{1b}[31m@x@y", "text"],
      ["--config", "/nowhere/\u{1b}[2J", "accounts"], ["logout", "no\u{9b}31m@body.test"],
      ["--theme", "\u{1b}[2J", "--profile", "\u{202e}", "accounts"],
    ] {
      let run = try await CommandRun(
        Programs.natter, arguments, environment: home.environment())
      #expect(run.status != .exited(0), "\(arguments)")
      #expect(!(run.errors + run.output).contains(0x1b), "\(arguments)")
      expectHarmless(run.errors + run.output)
    }
  }
}
