import Foundation
import TestSupport
import Testing

/// `natter logout` while another Natter has the account open.
@Suite(.timeLimit(.minutes(6))) struct SignOutTests {
  private let stage: LocalTokenTests.Stage
  init() async throws { stage = try await LocalTokenTests.Stage() }

  private func logout() async throws -> CommandRun {
    try await stage.natter(["logout", "erin@localhost"])
  }

  @Test func `a screen that has the account leaves it, and what was typed is kept`() async throws {
    try await stage.signIn()
    let natter = try NatterRun([], home: stage.own)
    try await natter.waitsOnline()
    try await natter.open(chat: "keeper@localhost")
    try await natter.type("half of it")
    let run = try await logout()
    #expect(run.status == .exited(0) && run.errorText == "", "\(run.errorText)")
    try await natter.shows("Sign in", "Password", "Signed out of erin@localhost.")
    #expect(try await stage.natter(["accounts"]).text.isEmpty)
    #expect(await natter.quit() == .exited(0))
    // It is there after the next sign-in.
    try await stage.signIn()
    let again = try NatterRun([], home: stage.own)
    try await again.waitsOnline()
    try await again.shows("keeper@localhost ●", "> half of it")
    again.terminal.press(.control("u"))
    #expect(await again.quit() == .exited(0))
  }

  @Test func `what is typed into the next account while the one that goes is closed is there`()
    async throws
  {
    // A server that says nothing more makes the end of the connection take its time.
    let relay = try FaultRelay(to: stage.web.port)
    try await stage.web.register("frida", "geheim")
    let login = try await stage.login([], account: "frida@localhost")
    #expect(login.status == .exited(0), "\(login.errorText)")
    let erin = try await stage.login([], port: relay.port)
    #expect(erin.status == .exited(0), "\(erin.errorText)")
    let natter = try NatterRun([], home: stage.own, rows: 30, columns: 110)
    try await natter.waitsOnline()
    try await natter.enter("/account erin@localhost")
    try await natter.expects("erin in the tab bar") { $0.text(row: 0).contains("erin@localhost") }
    try await natter.waitsOnline()
    relay.inflict(.stall(milliseconds: 600_000))
    async let run = logout()
    try await natter.expects("frida in the tab bar") { $0.text(row: 0).contains("frida@localhost") }
    natter.terminal.type("typed at once")
    try await natter.shows("typed at once")
    let ended = try await run
    #expect(ended.status == .exited(0), "\(ended.errorText)")
    #expect(natter.screen.contains("typed at once"))
    relay.inflict(.drop)
    natter.terminal.press(.control("u"))
    #expect(await natter.quit() == .exited(0))
  }

  @Test func `line mode stays signed in, and the command says so`() async throws {
    try await stage.signIn()
    let line = try PTYProcess(
      Programs.natter, ["--plain"],
      environment: stage.own.environment(terminal: "xterm-256color"), rows: 30, columns: 100)
    try await line.shows("as erin@localhost", upTo: .seconds(60))
    let run = try await logout()
    #expect(run.status == .exited(0))
    #expect(run.errorText.contains("stays signed in until it ends"), "\(run.errorText)")
    line.type("/quit\n")
    #expect(await line.waitsForEnd(upTo: .seconds(60)) == .exited(0))
  }
}
