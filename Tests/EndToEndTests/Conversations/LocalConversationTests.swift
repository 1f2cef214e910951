import Foundation
import TestSupport
import Testing

/// README's command `run`: the built-in server, the guide on it, and two people of one machine.
@Suite(.limitedConcurrency) struct LocalConversationTests {
  let home: Home
  init() throws { home = try Home() }

  /// The number of the built-in server's process, as it says itself.
  func serverProcess() throws -> pid_t { try #require(home.localServer).pid }

  @Test func `a newcomer is greeted by a guide that answers`() async throws {
    let me = try NatterRun.local(home: home)
    try await me.waitsOnline()
    try await me.receives(from: "Natter", unread: 3)
    try await me.open(chat: "natter@localhost")
    try await me.shows("Hello me, and welcome to Natter!", "natter --local --account bob")
    try await me.lists("Natter", unread: 0)
    try await me.say("keys")
    try await me.shows(" keys ", tick: "✓✓")
    try await me.shows("Enter sends, Ctrl+J")
    #expect(await me.quit() == .exited(0))
    #expect(me.terminal.isCooked)
    #expect(!me.screen.isAlternate)
  }

  @Test func `a user of the built-in server goes back to it without instructions`() async throws {
    let first = try NatterRun.local(account: "carol", home: home)
    try await first.waitsOnline()
    try await first.receives(from: "Natter", unread: 3)
    #expect(await first.quit() == .exited(0))
    // The form for those who are signed in nowhere names who was here last.
    let form = try NatterRun([], home: home)
    try await form.shows("Sign in", "[ Open carol@localhost ]")
    for _ in 1...7 { form.terminal.press(.tab) }
    try await form.shows("[>Open carol@localhost<]")
    form.terminal.press(.enter)
    try await form.waitsOnline()
    try await form.shows("carol@localhost", "Natter")
    #expect(await form.quit() == .exited(0))
    // By her address, too: it is no account of a server on this machine's port.
    let named = try NatterRun(["--account", "carol@localhost"], home: home)
    try await named.waitsOnline()
    try await named.shows("carol@localhost", "Natter")
    #expect(await named.quit() == .exited(0))
  }

  @Test
  func `a killed server's number that another program has now does not keep from a fresh start`()
    async throws
  {
    try home.folder.makeFolder("data/natter")
    try home.folder.makeFolder("data/natter/local")
    try home.folder.write(
      "{\"domain\":\"localhost\",\"pid\":\(getpid()),\"port\":1}\n",
      to: "data/natter/local/server.json")
    let me = try NatterRun.local(isFresh: true, home: home)
    try await me.waitsOnline()
    #expect(try serverProcess() != getpid())
    #expect(await me.quit() == .exited(0))
  }

  @Test func `what one corrects is corrected at the other, and an answer quotes it`() async throws {
    let me = try NatterRun.local(home: home)
    try await me.waitsOnline()
    let bob = try NatterRun.local(account: "bob", home: home)
    try await bob.waitsOnline()
    try await me.open(chat: "bob@localhost")
    try await bob.open(chat: "me@localhost")
    try await me.say("helo bob")
    try await bob.shows("helo bob")
    try await me.say("/edit hello bob")
    try await bob.shows("hello bob (edited)")
    try await bob.say("/reply hello you")
    try await me.shows("hello bob (edited)", "> you: hello bob", "hello you")
    try await bob.shows("> me: hello bob")
    #expect(me.count(of: "helo bob") == 0 && bob.count(of: "helo bob") == 0)
    #expect(await me.quit() == .exited(0))
    #expect(await bob.quit() == .exited(0))
  }

  @Test func `what is typed right after a conversation was asked for is for that one`() async throws
  {
    let me = try NatterRun.local(home: home)
    try await me.waitsOnline()
    try await me.open(chat: "natter@localhost")
    try await me.shows("Hello me, and welcome to Natter!")
    for number in 1...4 {
      try await me.enter("/chat new\(number)@localhost")
      // In the same breath.
      for letter in "for \(number) alone" { me.terminal.type(String(letter)) }
      try await me.expects("the words in the input of new\(number)") { screen in
        screen.text(row: 1).contains("new\(number)") && screen.contains("> for \(number) alone")
      }
      me.terminal.press(.control("u"))
      try await me.hides("> for \(number) alone")
    }
    try await me.open(chat: "natter@localhost")
    try await me.hides("alone")
    #expect(await me.quit() == .exited(0))
  }

  @Test func `two people of one machine find each other and talk`() async throws {
    let me = try NatterRun.local(home: home)
    try await me.waitsOnline()
    let bob = try NatterRun.local(account: "bob", home: home)
    try await bob.waitsOnline()
    try await me.lists("bob", presence: "●")
    try await bob.lists("me", presence: "●")

    try await me.open(chat: "bob@localhost")
    try await me.say("hello bob, 你好")
    try await me.showsDelivered("hello bob, 你好")
    try await bob.open(chat: "me@localhost")
    try await bob.shows("hello bob, 你好")
    try await me.shows("hello bob, 你好", tick: "✓✓")
    try await bob.lists("me", unread: 0)

    try await bob.say("seen at once 😀")
    try await me.shows("seen at once 😀")
    try await me.lists("bob", unread: 0)
    try await me.open(chat: "natter@localhost")
    try await bob.say("one egg")
    try await bob.say("two eggs")
    try await me.lists("bob", unread: 2)
    #expect(!me.screen.contains("two eggs"))
    me.terminal.press(.alt("a"))
    try await me.shows("two eggs")
    try await me.lists("bob", unread: 0)

    #expect(await bob.quit() == .exited(0))
    try await me.lists("bob", presence: "○")
    try await me.say("for later")
    try await me.shows("for later", tick: "✓")
    let bobAgain = try bob.startsAgain()
    try await bobAgain.waitsOnline()
    try await bobAgain.open(chat: "me@localhost")
    try await bobAgain.shows("hello bob", "seen at once", "for later")
    try await me.shows("for later", tick: "✓✓")
    #expect(await me.quit() == .exited(0))
    #expect(await bobAgain.quit() == .exited(0))
  }

  @Test func `the server ends after its last client and keeps what there was until --fresh`()
    async throws
  {
    let me = try NatterRun.local(home: home)
    try await me.waitsOnline()
    let bob = try NatterRun.local(account: "bob", home: home)
    try await bob.waitsOnline()
    let process = try serverProcess()
    try await me.open(chat: "bob@localhost")
    try await me.say("kept")
    try await me.showsDelivered("kept")
    #expect(await me.quit() == .exited(0))
    #expect(bob.terminal.status == nil)
    #expect(Foundation.kill(process, 0) == 0, "the server has to stay while bob is there")

    // bob is still there: the refusal does not wait for the server that bob needs.
    let refused = try NatterRun.local(isFresh: true, home: home)
    try await refused.shows("--fresh")
    refused.terminal.press(.control("q"))
    await refused.terminal.waitsForEnd()

    #expect(await bob.quit() == .exited(0))
    #expect(await waitsUntilGone(process))

    let again = try me.startsAgain()
    try await again.waitsOnline()
    try await again.lists("bob", presence: "○")
    try await again.open(chat: "bob@localhost")
    try await again.shows("kept")
    try await again.open(chat: "natter@localhost")
    try await again.shows("Hello me, and welcome")
    #expect(again.count(of: "Hello me, and welcome") == 1, "the guide greets once")
    let second = try serverProcess()
    #expect(await again.quit() == .exited(0))
    #expect(await waitsUntilGone(second))

    // What the user set aside is theirs, and so is a copy from before a change of the schema.
    let theirs = ["set-aside-1", "before-2.backup"].map { end in
      home.data.appending(path: "accounts/me@localhost.db.\(end)")
    }
    for file in theirs { try Data("kept".utf8).write(to: file) }
    let fresh = try NatterRun.local(isFresh: true, home: home)
    try await fresh.waitsOnline()
    for file in theirs { #expect(try Data(contentsOf: file) == Data("kept".utf8), "\(file)") }
    try await fresh.receives(from: "Natter", unread: 3)
    #expect(!fresh.screen.contains("bob@localhost"))
    #expect(!fresh.screen.contains("kept"))
    let third = try serverProcess()
    #expect(await fresh.quit() == .exited(0))
    #expect(await waitsUntilGone(third))
    #expect(home.isEmptyHome)
  }

  @Test func `--fresh right after quitting has the server end, and begins anew`()
    async throws
  {
    let me = try NatterRun.local(home: home)
    try await me.waitsOnline()
    let process = try serverProcess()
    try await me.open(chat: "natter@localhost")
    try await me.say("kept")
    try await me.shows("kept", tick: "✓✓")
    // Nothing that takes time comes in between: it lingers for three seconds.
    me.terminal.press(.control("q"))
    #expect(await me.terminal.waitsForEnd(upTo: .seconds(60)) == .exited(0))
    #expect(Foundation.kill(process, 0) == 0, "it lingers: that is what this test is about")
    let fresh = try NatterRun.local(isFresh: true, home: home)
    try await fresh.waitsOnline()
    try await fresh.receives(from: "Natter", unread: 3)
    #expect(!fresh.screen.contains("kept"))
    let second = try serverProcess()
    #expect(second != process)
    #expect(await fresh.quit() == .exited(0))
    #expect(await waitsUntilGone(second))
  }

  @Test func `the server ends after a client that was killed, too`() async throws {
    let me = try NatterRun.local(home: home)
    try await me.waitsOnline()
    let process = try serverProcess()
    await me.kill()
    #expect(await waitsUntilGone(process))
  }

  @Test func `the guide's name is no user's account`() async throws {
    let first = try NatterRun.local(home: home)
    try await first.waitsOnline()
    let other = try NatterRun.local(account: "natter", home: home)
    #expect(await other.terminal.waitsForEnd(upTo: .seconds(60)) == .exited(2))
    #expect(await first.quit() == .exited(0))
  }
}

extension Home {
  /// Indicates whether nothing was written outside the XDG folders.
  var isEmptyHome: Bool {
    (try? FileManager.default.contentsOfDirectory(atPath: home.path))?.isEmpty ?? false
  }
}
