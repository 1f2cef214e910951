import Foundation
import TestSupport
import Testing

/// Line mode: append-only, for screen readers, slow lines and `TERM=dumb`.
@Suite struct PlainModeTests {
  @Test(arguments: ["dumb", "xterm-256color", ""])
  func `line mode talks without a single escape byte`(type: String) async throws {
    let home = try Home()
    let run = try PTYProcess(
      Programs.natter, ["--local", "--plain"], environment: home.environment(terminal: type),
      rows: 50, columns: 200)
    try await run.shows("line mode", "Online.", "Natter, to you: Hello me", upTo: .seconds(60))
    run.type("/chat natter@localhost\n")
    try await run.shows("You are talking to", upTo: .seconds(60))
    run.type("keys é日\n")
    try await run.shows("you, to Natter: keys é日", upTo: .seconds(60))
    run.type("/frobnicate\n")
    try await run.shows("no command /frobnicate. Nothing was sent.", upTo: .seconds(60))
    run.type("/quit\n")
    #expect(await run.waitsForEnd(upTo: .seconds(60)) == .exited(0))
    #expect(!PrintedOutput(run.rawOutput).hasEscape)
    #expect(run.screen.malformedBytes == 0)
    #expect(run.isGivenBack())
  }

  @Test func `line mode works without any terminal, and ends with its input`() async throws {
    let home = try Home()
    let run = try await CommandRun(
      Programs.natter, ["--local", "--plain"], environment: home.environment(terminal: ""),
      input: "/help\n", upTo: .seconds(120))
    #expect(run.status == .exited(0))
    #expect(run.text.contains("/chat"))
    #expect(!PrintedOutput(run.output + run.errors).hasEscape)
  }

  @Test(.requires(.slixmpp)) func `messages of others bring no control bytes into line mode`()
    async throws
  {
    let home = try Home()
    let run = try NatterRun(["--local", "--plain"], home: home, rows: 50, columns: 200)
    try await run.shows("Online.")
    let bob = try await run.peer("bob")
    try await bob.send(
      xml: "<message to='me@localhost' type='chat' id='h1'>"
        + "<body>\(MessageChecklistTests.hostile)</body></message>")
    try await run.shows("before", "behind")
    let output = PrintedOutput(run.terminal.rawOutput)
    #expect(output.steeringScalars == [])
    #expect(!output.hasEscape)
    run.terminal.type("/quit\n")
    #expect(await run.terminal.waitsForEnd(upTo: .seconds(60)) == .exited(0))
    await bob.signOut()
  }
}
