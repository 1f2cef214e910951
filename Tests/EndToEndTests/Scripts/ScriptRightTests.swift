import Foundation
import TestSupport
import Testing

/// Rights that a script asks for when it needs them, and those who answer.
@Suite(.requires(.python3), .limitedConcurrency) struct ScriptRightTests {
  let scripts: ScriptHome
  init() throws { scripts = try ScriptHome() }

  /// Has the script send a request for the list of conversations.
  private func ask(_ natter: NatterRun) async throws {
    try await natter.say("/ask conversations.list")
  }

  private func holds(_ lines: String...) async throws {
    try await scripts.holds(lines, in: "answers", of: "asker")
  }

  private func start() async throws -> NatterRun {
    let natter = try NatterRun.local(home: scripts.home)
    try await natter.waitsOnline()
    try await natter.open(chat: "natter@localhost")
    try await natter.waits(forScript: "asker", state: "sleeps")
    return natter
  }

  @Test func `a script asks for a right, and gets it for once, for the run and for good`()
    async throws
  {
    try await scripts.add("asker", ScriptHome.asksFor, ScriptHome.asking)
    let right = "see your conversations"
    let first = try await start()
    try await ask(first)
    try await first.answers("asker", right, by: "This once")
    try await holds("given")
    // Once was once.
    try await ask(first)
    try await first.answers("asker", right, by: "Until I quit")
    try await holds("given", "given")
    try await ask(first)
    try await holds("given", "given", "given")
    // Another right is another question, and No is the answer that Enter gives.
    let history = #"/ask messages.history {"conversation":"natter@localhost"}"#
    try await first.say(history)
    try await first.answers("asker", "\"to look at them\"", by: "No")
    try await holds("given", "given", "given", "-32001 declined")
    try await first.say(history)
    try await holds("given", "given", "given", "-32001 declined", "-32001 declined")
    #expect(await first.quit() == .exited(0))

    // "Until I quit" is over.
    scripts.remove("answers", of: "asker")
    let second = try await start()
    try await ask(second)
    try await second.answers("asker", right, by: "Always")
    try await holds("given")
    #expect(await second.quit() == .exited(0))

    let third = try await start()
    try await ask(third)
    try await holds("given", "given")
    try await third.opens(pageOfScript: "asker")
    try await third.expects("one right that is held") { screen in
      screen.lines.contains { $0.contains(right) && !$0.contains("not allowed") }
        && screen.lines.contains { $0.contains("read your messages") && $0.contains("not allowed") }
    }
    #expect(await third.quit() == .exited(0))
  }

  @Test func `line mode prints the question, and takes its answer`() async throws {
    try await scripts.add(
      "asker", "start = \"login\"\n" + ScriptHome.asksFor, ScriptHome.asking)
    try scripts.tell(["conversations.list"], to: "asker")
    let line = try PTYProcess(
      Programs.natter, ["--local", "--plain"], environment: scripts.home.environment(), rows: 50,
      columns: 200)
    try await line.shows("asker (asker) asks for a right: see your", upTo: .seconds(60))
    try await line.shows("\"to count them\"", "/script yes", upTo: .seconds(60))
    line.type("/script always\n")
    try await line.shows("asker has your answer.", upTo: .seconds(60))
    try await holds("given")
    line.type("/quit\n")
    #expect(await line.waitsForEnd(upTo: .seconds(60)) == .exited(0))
    let list = try await scripts.scripts("--json")
    #expect(list.text.contains(#"{"right":"conversations.read","accounts":["me@localhost"]"#))
  }

  @Test func `natter serve runs scripts, asks nobody, and says how to grant what they need`()
    async throws
  {
    let home = scripts.home
    try await scripts.add(
      "asker", "start = \"login\"\n" + ScriptHome.asksFor, ScriptHome.asking)
    try scripts.tell(["conversations.list"], to: "asker")
    // The account exists once it was used.
    let owner = try LineNatter(["--local", "--no-scripts"], home: home)
    #expect(try await polls { !home.listeningSockets.isEmpty })
    #expect(await owner.quit() == .exited(0))
    let serve = ["serve", "--account", "me@localhost"]
    // On a terminal, where its standard error is seen, too.
    let first = try PTYProcess(
      Programs.natter, serve, environment: home.environment(), rows: 30, columns: 200)
    try await first.shows(
      "asker needs the right conversations.read",
      "natter scripts grant asker conversations.read", upTo: .seconds(60))
    try await holds("-32001 not-asked")
    first.signal(SIGTERM)
    #expect(await first.waitsForEnd(upTo: .seconds(60)) == .exited(143))

    try await scripts.scripts("grant", "asker", "conversations.read")
    let second = try BridgeRun(serve, home: home)
    try await second.greet()
    try await holds("-32001 not-asked", "given")
    second.signal(SIGTERM)
    #expect(await second.waitsForEnd() == .exited(143))
  }

  @Test func `with --no-scripts none is started, in the full screen and in natter serve`()
    async throws
  {
    let home = scripts.home
    try await scripts.add(
      "asker", "start = \"login\"\n" + ScriptHome.asksFor, ScriptHome.asking)
    try scripts.tell(["ping"], to: "asker")
    let natter = try NatterRun(["--local", "--no-scripts"], home: home)
    try await natter.waitsOnline()
    try await natter.shows("Scripts are not started (--no-scripts).")
    try await natter.open(chat: "natter@localhost")
    try await natter.waits(forScript: "asker", state: "enabled, but not started")
    #expect(await natter.quit() == .exited(0))
    #expect(home.folder.text(scripts.file("answers", of: "asker")) == nil)
    // With them it would have been.
    let again = try NatterRun(["--local"], home: home)
    try await again.waitsOnline()
    try await holds("given")
    #expect(await again.quit() == .exited(0))
  }
}
