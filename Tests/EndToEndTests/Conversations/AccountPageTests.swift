import TestSupport
import Testing

extension Conversations {
  /// The pages of Me about the account and the program.
  @Suite struct AccountPageTests {
    @Test(arguments: ServerKind.allCases)
    func `the account page shows the signed-in programs and the support contacts`(kind: ServerKind)
      async throws
    {
      let alice = try await TestAccount("alice", on: kind)
      let other = try await alice.slixmpp()
      let natter = try alice.natter()
      try await natter.waitsOnline()
      natter.terminal.press(.f(6))
      try await natter.shows("Your profile", "Account")
      natter.terminal.press(.down)
      try await natter.shows("Seen as", "Priority")
      natter.terminal.press(.down)
      try await natter.shows("Devices", "Support")
      natter.terminal.press(.enter)
      // The built-in server has nobody behind it who could help.
      let (help, limit) =
        kind == .builtIn
        ? ("Support                none", "limit 4.3 GB")
        : ("xmpp:help@\(alice.server.domain)", "limit 10")
      try await natter.shows(help, limit)
      // The selected row is shown completely below the others.
      try await natter.shows("programs signed in to this account", "lixmpp")
      #expect(await natter.quit() == .exited(0))
      await other.signOut()
    }

    @Test(arguments: ServerKind.allCases)
    func `about lists the licences, and checks what natter doctor checks`(kind: ServerKind)
      async throws
    {
      let alice = try await TestAccount("alice", on: kind)
      let natter = try alice.natter(rows: 90)
      try await natter.waitsOnline()
      natter.terminal.press(.f(6))
      try await natter.shows("Your profile", "About")
      natter.terminal.press(.end, .enter)
      try await natter.shows("MIT", "signed in as \(alice.jid)", "ncurses", "SQLite", "Unicode-3.0")
      // What the command says of the same things.
      let run = try await CommandRun(
        Programs.natter, ["doctor"] + natter.arguments,
        environment: natter.home.environment(terminal: "xterm-256color"))
      let lines = run.text.split(separator: "\n").filter { $0.contains("] locale: ") }
      #expect(lines.count == 1, "\(run.text)")
      for line in lines {
        let text = line.split(separator: ": ", maxSplits: 1).last.map(String.init) ?? ""
        #expect(natter.screen.contains(text), "\(text)")
      }
      #expect(!natter.screen.contains(alice.password))
      #expect(await natter.quit() == .exited(0))
    }
  }
}
