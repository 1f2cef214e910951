import Foundation
import TestSupport
import Testing

extension Conversations {
  /// The first start: guide, sign-in form, a new account, all by keys.
  @Suite struct NewcomerTests {
    /// Opens the guide and leaves it for the sign-in form.
    private func signInForm() async throws -> NatterRun {
      let natter = try NatterRun([], home: try Home(), rows: 40)
      try await natter.shows("Welcome to Natter", "1/4")
      natter.terminal.press(.escape)
      try await natter.shows("Sign in", "Password", "Advanced")
      return natter
    }

    /// Types into the field that has the focus, and waits until the text is on the screen.
    private func fill(_ text: String, in natter: NatterRun, isSecret: Bool = false) async throws {
      let mark = natter.terminal.outputCount
      natter.terminal.type(text)
      if isSecret {
        try await natter.expects("something typed") { _ in natter.terminal.outputCount > mark }
      } else {
        try await natter.shows(text)
      }
    }

    /// Opens the advanced part and enters the server's host.
    private func fillAdvanced(_ server: any XMPPServer, in natter: NatterRun) async throws {
      try await focus("Advanced", in: natter)
      natter.terminal.press(.text(" "))
      try await natter.shows("CA file", "Port")
      natter.terminal.press(.tab)
      try await fill(server.host, in: natter)
      natter.terminal.press(.tab)
      try await fill("\(server.port)", in: natter)
      guard let encryption = server.encryption else {
        natter.terminal.press(.tab, .left)
        try await natter.shows("< off >")
        return natter.terminal.press(.tab)
      }
      natter.terminal.press(.tab, .tab)
      try await fill(encryption.certificate, in: natter)
    }

    /// Presses Tab until the row with `text` has the focus: it is marked by `>`.
    private func focus(_ text: String, in natter: NatterRun) async throws {
      try await natter.expects("a field with the focus") { Self.marks($0).count == 1 }
      for _ in 0..<16 {
        let screen = natter.screen
        let marks = Self.marks(screen)
        if let mark = marks.first,
          screen.text(row: mark.row, columns: mark.column..<screen.columns).prefix(text.count + 6)
            .contains(text)
        {
          return
        }
        natter.terminal.press(.tab)
        // The frame is complete when the new mark is there and the old one is gone.
        try await natter.expects("the focus on the next field") { screen in
          let now = Self.marks(screen)
          return now.count == 1 && now != marks
        }
      }
      try await natter.shows("the focus on \(text)", upTo: .milliseconds(1))
    }

    /// Where a field or a button is marked: behind the form's border, or in the button's bracket.
    private static func marks(_ screen: VirtualTerminal) -> [TerminalPoint] {
      var found: [TerminalPoint] = []
      for row in 0..<screen.rows {
        for column in 1..<screen.columns
        where screen[row, column].text == ">" && ["│", "["].contains(screen[row, column - 1].text) {
          found.append(TerminalPoint(row: row, column: column))
        }
      }
      return found
    }

    @Test func `a user signs in by the form, at first with a wrong password`() async throws {
      let alice = try await TestAccount("alice", on: .prosody)
      let natter = try await signInForm()
      try await fill(alice.jid, in: natter)
      natter.terminal.press(.tab)
      try await fill("wrong", in: natter, isSecret: true)
      #expect(!natter.screen.contains("wrong"))
      try await fillAdvanced(alice.server, in: natter)
      natter.terminal.press(.enter)
      try await natter.shows("Wrong password")
      // What was typed is still there; only the password is typed again, into a field that is
      // empty.
      #expect(natter.screen.contains(alice.jid))
      try await focus("Password", in: natter)
      try await fill(alice.password, in: natter, isSecret: true)
      natter.terminal.press(.enter)
      try await natter.waitsOnline()
      #expect(natter.screen.contains(alice.jid))
      #expect(await natter.quit() == .exited(0))

      // From now on a plain `natter` is enough.
      let again = try NatterRun([], home: natter.home)
      try await again.waitsOnline()
      #expect(await again.quit() == .exited(0))
    }

    @Test func `a user signs in to a second account beside the first, by the form`() async throws {
      let alice = try await TestAccount("alice", on: .prosody)
      let bob = try await TestAccount("bob", on: .ejabberd)
      let peer = try await TestAccount("carol", on: .ejabberd).slixmpp()
      let natter = try await signInForm()
      for account in [alice, bob] {
        try await fill(account.jid, in: natter)
        natter.terminal.press(.tab)
        try await fill(account.password, in: natter, isSecret: true)
        try await fillAdvanced(account.server, in: natter)
        natter.terminal.press(.enter)
        try await natter.expects("\(account.jid) online") { screen in
          screen.text(row: 0).contains(account.jid) && screen.text(row: 0).contains("online")
        }
        guard account.jid == alice.jid else { break }
        try await natter.enter("/login")
        try await natter.shows("Sign in", "Password", "Advanced")
      }
      try await natter.shows("ACCOUNTS", "1 ● \(alice.name)", "2 ● \(bob.name)")
      natter.terminal.press(.alt("n"))
      try await natter.expects("the first one") { $0.text(row: 0).contains(alice.jid) }
      try await peer.send("to the second", to: bob.jid)
      natter.terminal.press(.alt("n"))
      try await natter.expects("the second one") { $0.text(row: 0).contains(bob.jid) }
      try await natter.shows("to the second")
      #expect(await natter.quit() == .exited(0))
      await peer.signOut()
    }

    // The built-in server takes new accounts only from its owner, who is served by `natter
    // --local`.
    @Test(arguments: ServerKind.with(.foreignWays))
    func `a new user creates an account and talks`(kind: ServerKind) async throws {
      let server = try SharedServers.server(kind)
      let new = TestAccount(unregistered: "newcomer", on: server, password: "geheim ü 1")
      let bob = try await TestAccount("bob", on: kind)
      let peer = try await bob.slixmpp()
      let natter = try await signInForm()
      try await focus("New account", in: natter)
      natter.terminal.press(.enter)
      try await natter.shows("Choose a name")
      try await fill(new.jid, in: natter)
      try await fillAdvanced(server, in: natter)
      natter.terminal.press(.enter)
      try await natter.shows("New account at \(server.domain)", "Password again")
      try await focus("Password ", in: natter)
      try await fill(new.password, in: natter, isSecret: true)
      natter.terminal.press(.tab)
      try await fill(new.password + "x", in: natter, isSecret: true)
      natter.terminal.press(.enter)
      try await natter.shows("do not match")
      try await focus("Password again", in: natter)
      natter.terminal.press(.backspace, .enter)
      try await natter.waitsOnline()
      try await natter.open(chat: bob.jid)
      try await natter.say("I am new here")
      try await peer.message { $0.body == "I am new here" && $0.from?.hasPrefix(new.jid) == true }
      #expect(await natter.quit() == .exited(0))
      await peer.signOut()
    }

    @Test
    func `a server that wants to see a person shows where its picture is, and takes the answer`()
      async throws
    {
      var options = XMPPServerOptions()
      options.allowsRegistration = true
      options.asksForCAPTCHA = true
      let server = try await EjabberdServer(options)
      let natter = try NatterRun(
        NatterRun.options(server.jid("kim"), on: server), home: try Home(), rows: 46, columns: 110)
      try await natter.shows("Sign in", "Password")
      try await focus("New account", in: natter)
      natter.terminal.press(.enter)
      try await natter.shows("Choose a name", server.jid("kim"))
      natter.terminal.press(.enter)
      try await natter.shows("Password again", "/image", "Enter the text")
      let first = try #require(Self.picture(natter.screen))
      // It is there, for a browser.
      try await CommandRun.check(
        "curl", ["-sS", "--fail", "--noproxy", "*", first, "-o", "/dev/null"])

      try await answer("wrong", in: natter)
      for label in ["Password ", "Password again"] {
        try await focus(label, in: natter)
        try await fill("geheim 1", in: natter, isSecret: true)
      }
      natter.terminal.press(.enter)
      // Another picture for another try; what was typed beside it stays.
      try await natter.expects("another picture, and why") { screen in
        Self.picture(screen).map { $0 != first } == true
          && screen.contains("did not accept the answers")
          && screen.contains("says: \"The CAPTCHA verification")
      }
      try await answer(try #require(server.captchaAnswer), in: natter)
      natter.terminal.press(.enter)
      try await natter.waitsOnline()
      #expect(await natter.quit() == .exited(0))
      await server.stop()
    }

    /// The URL of the picture that the form names.
    private static func picture(_ screen: VirtualTerminal) -> String? {
      let row = screen.lines.first { $0.contains("http://localhost:") && $0.contains("/image") }
      return row.flatMap { row in
        row.range(of: "http").map { row[$0.lowerBound...].prefix { $0 != " " } }
      }.map { String($0) }
    }

    private func answer(_ text: String, in natter: NatterRun) async throws {
      try await focus("Enter the text", in: natter)
      try await fill(text, in: natter)
    }

    @Test func `an invitation on the command line leads to an account and a contact`()
      async throws
    {
      let alice = try await TestAccount("alice", on: .prosody)
      let peer = try await alice.slixmpp()
      let made = try await peer.ask(
        "set",
        "<command xmlns='http://jabber.org/protocol/commands' node='urn:xmpp:invite#invite' action='execute'/>",
        of: alice.server.domain)
      let mark = try #require(made.range(of: ">xmpp:"), "\(made)")
      let address = made[mark.lowerBound...].dropFirst().prefix { $0 != "<" }
        .replacingOccurrences(of: "&amp;", with: "&")
      #expect(address.contains("preauth=") && address.contains("ibr=y"), "\(address)")
      let server = alice.server
      let natter = try NatterRun(
        [
          "--server", server.address, "--tls", "starttls", "--ca-file",
          try server.certificate, address,
        ], home: try Home(), rows: 40)
      try await natter.shows("New account", "preauth=")
      natter.terminal.press(.enter)
      try await natter.shows("Password again")
      let name = UniqueName.next("kim")
      natter.terminal.press(.home)
      natter.terminal.type(name)
      try await natter.shows("\(name)@\(server.domain)")
      try await focus("Password", in: natter)
      try await fill("geheim 1", in: natter, isSecret: true)
      natter.terminal.press(.tab)
      try await fill("geheim 1", in: natter, isSecret: true)
      natter.terminal.press(.enter)
      try await natter.waitsOnline()
      // The invitation says whom to add; the server has introduced both by its token.
      try await natter.shows("Add \(alice.jid)")
      natter.terminal.press(.tab, .enter)
      try await natter.lists(alice.name, presence: "●")
      #expect(try await peer.roster()["\(name)@\(server.domain)"] == "both")
      #expect(await natter.quit() == .exited(0))
      await peer.signOut()
    }
  }
}
