import Foundation
import TestSupport
import Testing

extension Conversations {
  /// Two accounts in one program, each on a server of another kind, and with somebody else's client
  /// at the other end of each.
  @Suite struct SeveralAccountsTests {
    private let home: Home
    init() throws { home = try Home() }

    /// Waits until the list of accounts has this one online, and this many unread messages in it.
    private func lists(_ account: TestAccount, unread: Int = 0, in natter: NatterRun) async throws {
      try await natter.expects("\(account.name) online with \(unread) unread") { screen in
        screen.lines.contains {
          let words = $0.prefix { !"│|".contains($0) }.split(separator: " ")
          guard let name = words.firstIndex(where: { $0.hasPrefix(account.name) }), name > 0 else {
            return false
          }
          return words[name - 1] == "●" && (words[(name + 1)...].first ?? "0") == "\(unread)"
        }
      }
    }

    /// Waits until this account is the one that is shown.
    private func shows(_ account: TestAccount, in natter: NatterRun) async throws {
      try await natter.expects("\(account.jid) in the tab bar") {
        $0.text(row: 0).contains(account.jid)
      }
    }

    private func start(_ more: [String] = []) throws -> NatterRun {
      try NatterRun(more, home: home, rows: 30, columns: 110)
    }

    @Test
    func `messages to both arrive, none mixed up; position and draft are kept; a restart has both`()
      async throws
    {
      let alice = try await TestAccount("alice", on: .prosody)
      let bob = try await TestAccount("bob", on: .ejabberd)
      let carol = try await TestAccount("carol", on: .prosody)
      let dora = try await TestAccount("dora", on: .ejabberd)
      let (toAlice, toBob) = (try await carol.slixmpp(), try await dora.slixmpp())
      try await home.login(bob)
      try await home.login(alice)
      // What the first session finds in an archive is no news: that one only says hello.
      let first = try start()
      try await shows(bob, in: first)
      try await lists(alice, in: first)
      try await lists(bob, in: first)
      try await toAlice.send("hello alice", to: alice.jid)
      try await toBob.send("hello bob", to: bob.jid)
      try await first.shows("hello bob", dora.name)
      first.terminal.press(.alt("n"))
      try await shows(alice, in: first)
      try await first.shows("hello alice", carol.name)
      first.terminal.press(.alt("n"))
      try await shows(bob, in: first)
      #expect(await first.quit() == .exited(0))

      let natter = try start()
      try await shows(bob, in: natter)
      try await lists(alice, in: natter)
      try await lists(bob, in: natter)
      try await toAlice.send("this is for alice", to: alice.jid)
      try await toBob.send("this is for bob", to: bob.jid)
      try await natter.shows("this is for bob", dora.name)
      try await lists(alice, unread: 1, in: natter)
      try await natter.expects("a sign in the tab bar") { $0.text(row: 0).contains("+1") }
      #expect(!natter.screen.contains("this is for alice"))
      #expect(!natter.screen.contains(carol.name))
      try await natter.type("half of what dora gets")

      // To the other one by key, and an answer from there.
      natter.terminal.press(.alt("n"))
      try await shows(alice, in: natter)
      try await natter.shows("this is for alice", carol.name)
      #expect(!natter.screen.contains("half of what dora gets"))
      try await lists(alice, in: natter)
      try await natter.expects("no sign in the tab bar") { !$0.text(row: 0).contains("+") }
      try await natter.say("from alice")
      let answer = try await toAlice.message { $0.body == "from alice" }
      #expect(answer.from?.hasPrefix(alice.jid + "/") == true)
      try await natter.type("half of what carol gets")
      try await toBob.send("a second one for bob", to: bob.jid)
      try await lists(bob, unread: 1, in: natter)
      #expect(!natter.screen.contains("a second one for bob"))

      // Back, by the command, with the draft that was there. The draft of this account stays here.
      natter.terminal.press(.control("o"))
      try await natter.shows("Go to or run")
      natter.terminal.type("account: " + bob.name)
      try await natter.shows("> account: \(bob.name)", "Account: \(bob.jid)")
      natter.terminal.press(.enter)
      try await shows(bob, in: natter)
      try await natter.shows("half of what dora gets", "a second one for bob")
      try await lists(bob, in: natter)
      #expect(!natter.screen.contains("half of what carol gets"))
      #expect(natter.screen.unknown == [])
      #expect(await natter.quit() == .exited(0))

      // The next start has both, each with what it had.
      let again = try start()
      try await shows(bob, in: again)
      try await lists(alice, in: again)
      try await again.shows("half of what dora gets", "a second one for bob")
      again.terminal.press(.control("u"))
      try await again.hides("half of what dora gets")
      try await again.enter("/account \(alice.name)")
      try await shows(alice, in: again)
      try await again.shows("half of what carol gets", "from alice", "this is for alice")
      try await again.showsDelivered("from alice")
      #expect(await again.quit() == .exited(0))

      // The one that was shown last is the first to be shown.
      let last = try start()
      try await shows(alice, in: last)
      try await lists(bob, in: last)
      #expect(await last.quit() == .exited(0))
      // Line mode has one of them, says so, and how the other one is had.
      let line = try await CommandRun(
        Programs.natter, ["--plain"], environment: home.environment(), input: "/quit\n",
        upTo: .seconds(120))
      #expect(line.text.contains("as \(bob.jid)."))
      #expect(line.text.contains("--plain --account \(alice.jid) opens that one"))

      // One that is named is the only one.
      let one = try start(["--account", alice.jid])
      try await shows(alice, in: one)
      try await one.waitsOnline()
      one.terminal.press(.alt("n"))
      try await one.shows("You have one account")
      #expect(await one.quit() == .exited(0))
      await toAlice.signOut()
      await toBob.signOut()
    }

    @Test
    func `a message to the account that is not shown is announced with its address, and rings`()
      async throws
    {
      let alice = try await TestAccount("alice", on: .prosody)
      let bob = try await TestAccount("bob", on: .ejabberd)
      let carol = try await TestAccount("carol", on: .prosody)
      let toAlice = try await carol.slixmpp()
      try home.folder.write("[notify]\ndesktop = \"osc9\"\n", to: "config/natter/config.toml")
      try await home.login(alice)
      try await home.login(bob)
      // What the first session finds in an archive is no news: that one only says hello.
      let first = try start()
      try await lists(alice, in: first)
      try await toAlice.send("hello alice", to: alice.jid)
      try await first.shows("hello alice")
      #expect(await first.quit() == .exited(0))

      let natter = try start()
      try await lists(alice, in: natter)
      try await lists(bob, in: natter)
      natter.terminal.press(.alt("n"))
      try await shows(bob, in: natter)
      try await toAlice.send("psst", to: alice.jid)
      try await natter.expects("the bell") { $0.bells > 0 }
      try await lists(alice, unread: 1, in: natter)
      let output = String(decoding: natter.terminal.rawOutput, as: UTF8.self)
      #expect(output.contains("]9;\(carol.name)"))
      #expect(output.contains("(\(alice.jid)): New message"))
      #expect(!output.contains("psst"))
      #expect(await natter.quit() == .exited(0))
      await toAlice.signOut()
    }

    @Test func `signing out of one leaves the other, also for the next start`()
      async throws
    {
      let alice = try await TestAccount("alice", on: .prosody)
      let bob = try await TestAccount("bob", on: .ejabberd)
      let carol = try await TestAccount("carol", on: .prosody)
      let toAlice = try await carol.slixmpp()
      try await home.login(alice)
      try await home.login(bob)
      let natter = try start()
      try await lists(alice, in: natter)
      try await lists(bob, in: natter)
      try await shows(alice, in: natter)
      natter.terminal.press(.alt("n"))
      try await shows(bob, in: natter)
      try await natter.enter("/logout")
      try await natter.shows("Sign out of \(bob.jid)?")
      natter.terminal.press(.tab)
      natter.terminal.press(.enter)
      try await shows(alice, in: natter)
      try await natter.shows("Signed out of \(bob.jid)")
      try await natter.hides("ACCOUNTS")
      try await toAlice.send("still here", to: alice.jid)
      try await natter.shows("still here")
      #expect(await natter.quit() == .exited(0))

      // What was signed out of stays so; the other one is opened, though it was not the last.
      let again = try start()
      try await shows(alice, in: again)
      try await again.waitsOnline()
      try await again.shows("still here")
      #expect(!again.screen.contains("ACCOUNTS"))

      #expect(await again.quit() == .exited(0))
      await toAlice.signOut()
    }
  }
}
