import Foundation
import TestSupport
import Testing

/// Failures of the stores of passwords and tokens: a password_command, the file, the desktop's
/// keyring.
@Suite(.timeLimit(.minutes(6))) struct SecretFailureTests {
  private typealias Stage = LocalTokenTests.Stage

  /// erin's account, with a password_command that is this script; it finds its files in `$HOME/..`.
  private func stage(command script: String) async throws -> Stage {
    let stage = try await Stage()
    try await stage.signIn()
    let folder = stage.own.folder
    try folder.write("#!/bin/sh\n\(script)\n", to: "secret.sh", mode: 0o700)
    try folder.write(
      """
      [account]
      address = "erin@localhost"
      password_command = ["sh", "\(folder.path("secret.sh"))"]
      """, to: "config/natter/config.toml")
    return stage
  }

  @Test
  func `a password_command that fails is reported as such, once, and tried again on request`()
    async throws
  {
    let stage = try await stage(
      command: """
        echo ran >> "$HOME/../runs"
        test -e "$HOME/../key" && echo geheim && exit 0
        echo "hunter2"
        echo "keyless$(wc -l < "$HOME/../runs")" >&2
        exit 2
        """)
    let folder = stage.own.folder
    let natter = try NatterRun([], home: stage.own, rows: 36)
    // The chats and the alert, and no form.
    try await natter.shows(
      "Not connected", "Natter has no password for", "keyless1", "ended with 2", "[F2 Chats")
    #expect(
      !natter.screen.contains("hunter2") && !natter.screen.contains("Natter did not connect to"))
    #expect(folder.text("runs") == "ran\n")
    natter.terminal.press(.enter)
    try await natter.shows("Not connected", "keyless2")
    #expect(folder.text("runs") == "ran\nran\n")
    // It is set right, and asked for once more.
    try folder.write("", to: "key")
    natter.terminal.press(.enter)
    try await natter.waitsOnline()
    #expect(folder.text("runs") == "ran\nran\nran\n")
    #expect(await natter.quit() == .exited(0))
    let log = try String(
      contentsOf: stage.own.state.appending(path: "natter.log"), encoding: .utf8)
    #expect(!log.contains("hunter2") && !log.contains("geheim"))
    #expect(await stage.keeper.quit() == .exited(0))
  }

  @Test func `what comes up while something is open above the chats comes when that is closed`()
    async throws
  {
    let stage = try await stage(
      command: """
        echo asked > "$HOME/../asked"
        while ! test -e "$HOME/../key"; do sleep 0.05; done
        echo keyless >&2
        exit 2
        """)
    let natter = try NatterRun([], home: stage.own, rows: 36)
    try await stage.own.folder.holds("asked") { $0 == "asked\n" }
    natter.terminal.press(.f1)
    try await natter.shows("Help:")
    try stage.own.folder.write("", to: "key")
    try await natter.expects("that there is no connection, in the tab bar") {
      $0.text(row: 0).contains("not connected")
    }
    natter.terminal.press(.escape)
    try await natter.hides("Help:")
    try await natter.shows("Not connected", "keyless")
    #expect(await natter.quit() == .exited(0))
    #expect(await stage.keeper.quit() == .exited(0))
  }

  @Test func `a local account whose secret is lost gets another one, with everything it had`()
    async throws
  {
    let home = try Home()
    let first = try NatterRun(["--local"], home: home, rows: 24, columns: 80)
    try await first.openGuide()
    try await first.say("remember me")
    try await first.shows("you    remember me", tick: "✓✓")
    #expect(await first.quit() == .exited(0))
    // With the server still running for somebody else.
    let bob = try NatterRun(["--local", "--account", "bob"], home: home, rows: 24, columns: 80)
    try await bob.waitsOnline()
    try FileManager.default.removeItem(at: home.data.appending(path: "credentials"))
    let again = try NatterRun(["--local"], home: home, rows: 24, columns: 80)
    try await again.waitsOnline()
    try await again.shows("you    remember me")
    try await again.say("help")
    try await again.shows("you    help", tick: "✓✓")
    #expect(await again.quit() == .exited(0))
    #expect(await bob.quit() == .exited(0))
  }

  @Test func `who signs in by hand gets in whatever the command does, and nothing is written`()
    async throws
  {
    let stage = try await stage(command: "echo broken >&2; exit 1")
    let natter = try NatterRun([], home: stage.own, rows: 36)
    try await natter.shows("Not connected", "broken")
    try await natter.choose("Sign in...", by: .tab)
    try await natter.shows("Sign in", "erin@localhost", "Password")
    natter.terminal.type("geheim")
    natter.terminal.press(.enter)
    try await natter.waitsOnline()
    #expect(await natter.quit() == .exited(0))
    for file in stage.own.folder.files where file != "password" {
      let data = try Data(contentsOf: stage.own.folder.url(file))
      #expect(!data.contains(sequence: Array("geheim".utf8)), "\(file)")
    }
    // Commands report it as well.
    let send = try await stage.natter(["send", "keeper@localhost", "hello"])
    #expect(send.status == .exited(77))
    #expect(send.errorText.contains("broken") && send.errorText.contains("ended with 1"))
    let doctor = try await stage.natter(["doctor"])
    #expect(doctor.status == .exited(1))
    #expect(doctor.text.contains("ended with 1: broken"))
    #expect(!doctor.text.contains("no password is stored"), "\(doctor.text)")
    #expect(await stage.keeper.quit() == .exited(0))
  }

  @Test func `a slow password_command holds nothing up, neither at the start nor at the end`()
    async throws
  {
    let stage = try await stage(
      command: """
        echo $$ > "$HOME/../pid"
        while ! test -e "$HOME/../key"; do sleep 0.05; done
        echo geheim
        """)
    let natter = try NatterRun([], home: stage.own, rows: 36)
    // What the database holds is there, and takes keys, while it still thinks.
    try await natter.shows("[F2 Chats")
    natter.terminal.press(.f1)
    try await natter.shows("Help:")
    natter.terminal.press(.escape)
    try await natter.hides("Help:")
    #expect(stage.own.folder.text("key") == nil)
    try stage.own.folder.write("", to: "key")
    try await natter.waitsOnline()
    #expect(await natter.quit() == .exited(0))
    // Left while it thinks: it does not outlive the program.
    try FileManager.default.removeItem(at: stage.own.folder.url("key"))
    try FileManager.default.removeItem(at: stage.own.folder.url("pid"))
    let other = try NatterRun([], home: stage.own, rows: 36)
    try await other.shows("[F2 Chats")
    try await stage.own.folder.holds("pid") { $0.hasSuffix("\n") }
    #expect(await other.quit() == .exited(0))
    let child = try #require(Int32((stage.own.folder.text("pid") ?? "").dropLast()))
    #expect(await waitsUntilGone(child))
    #expect(await stage.keeper.quit() == .exited(0))
  }

  // MARK: - Signing out

  @Test
  func `natter logout signs out when the file of secrets cannot be used, and says what is left`()
    async throws
  {
    let stage = try await Stage()
    try await stage.signIn()
    try stage.own.folder.write("{ damaged", to: "data/natter/credentials")
    let logout = try await stage.natter(["logout", "erin@localhost"])
    #expect(logout.status == .exited(1))
    #expect(
      logout.errorText.contains(stage.own.folder.path("data/natter/credentials"))
        && logout.errorText.contains("by hand"), "\(logout.errorText)")
    let accounts = try await stage.natter(["accounts"])
    #expect(accounts.text == "")
    #expect(stage.own.folder.text("data/natter/credentials") == "{ damaged")
    #expect(await stage.keeper.quit() == .exited(0))
  }

  /// A replacement of secret-tool that is found before any other.
  private func fake(_ script: String, in home: Home) throws -> [String: String] {
    try home.folder.write("#!/bin/sh\n\(script)\n", to: "bin/secret-tool", mode: 0o700)
    try home.folder.write("[account]\nsecrets = \"desktop\"\n", to: "config/natter/config.toml")
    return ["PATH": home.folder.path("bin") + ":" + Programs.searchPath]
  }

  @Test
  func `natter logout signs out when the keyring fails, and says how to empty it`() async throws {
    let (stage, environment) = try await stageWithBrokenKeyring()
    let logout = try await stage.natter(["logout", "erin@localhost"], environment)
    #expect(logout.status == .exited(1))
    #expect(logout.errorText.contains("keyring is locked"), "\(logout.errorText)")
    #expect(try await stage.natter(["accounts"]).text == "")
    #expect(await stage.keeper.quit() == .exited(0))
  }

  /// A keyring that has erin's secret and, from here on, does not let it be removed.
  private func stageWithBrokenKeyring() async throws -> (Stage, [String: String]) {
    let stage = try await Stage()
    let kept = stage.own.folder.path("kept")
    let environment = try fake(
      """
      test -e "\(stage.own.folder.path("broken"))" && test "$1" = clear && echo "keyring is locked" >&2 && exit 1
      case "$1" in
        store) cat > "\(kept)";;
        search) test -e "\(kept)" && echo "[/1]" >&2;;
        lookup) test -e "\(kept)" || exit 1; cat "\(kept)";;
      esac
      """, in: stage.own)
    try await stage.signIn(environment)
    #expect(stage.own.folder.text("kept") != nil)
    try stage.own.folder.write("", to: "broken")
    return (stage, environment)
  }

  /// Waits until the screen says, in however many lines, that the secret is there still.
  private func reportsWhatIsLeft(_ natter: NatterRun) async throws {
    try await natter.expects("what is left") { screen in
      let words = screen.lines.joined(separator: " ").split { " │|".contains($0) }
        .joined(separator: " ")
      return words.contains("is still in the desktop's keyring:")
        && words.contains("keyring is locked")
    }
  }

  @Test func `the full screen signs out when the keyring fails, says what is left, and stays out`()
    async throws
  {
    let (stage, environment) = try await stageWithBrokenKeyring()
    let natter = try NatterRun([], home: stage.own, rows: 36, environment: environment)
    try await natter.waitsOnline()
    try await natter.enter("/logout")
    try await natter.shows("Sign out of erin@localhost?")
    natter.terminal.press(.tab)
    natter.terminal.press(.enter)
    try await reportsWhatIsLeft(natter)
    try await natter.shows("Sign in", "erin@localhost", "Password")
    #expect(await natter.quit() == .exited(0))
    // With its secret still there it is not signed in to by itself.
    let again = try NatterRun([], home: stage.own, rows: 36, environment: environment)
    try await again.shows("Welcome to Natter")
    #expect(await again.quit() == .exited(0))
    #expect(await stage.keeper.quit() == .exited(0))
  }

  @Test func `a password that is not to be remembered and stays is reported after the sign-in`()
    async throws
  {
    let (stage, environment) = try await stageWithBrokenKeyring()
    // What it has is no password.
    try stage.own.folder.write("wrong", to: "kept")
    let natter = try NatterRun([], home: stage.own, rows: 36, environment: environment)
    try await natter.shows("Sign in", "Password", "[x] Remember me")
    natter.terminal.type("geheim")
    try await natter.shows("******")
    natter.terminal.press(.tab)
    natter.terminal.type(" ")
    try await natter.shows("[ ] Remember me")
    natter.terminal.press(.tab)
    natter.terminal.press(.enter)
    try await natter.waitsOnline()
    try await reportsWhatIsLeft(natter)
    #expect(await natter.quit() == .exited(0))
    #expect(await stage.keeper.quit() == .exited(0))
  }

  // MARK: - The desktop's keyring

  @Test(.requires(.prosody))
  func `without secret-tool it is said when one signs in, and nothing is left behind`() async throws
  {
    let server = try await ProsodyServer(XMPPServerOptions(), users: ["alice": "geheim"])
    let home = try Home()
    try home.folder.write("geheim\n", to: "password")
    // A folder with nothing in it.
    try home.folder.makeFolder("bin")
    let environment = home.environment(["PATH": home.folder.path("bin")])
    let arguments =
      ["login", server.jid("alice")]
      + NatterRun.options(server.jid("alice"), on: server).dropFirst(2)
      + ["--password-file", home.folder.path("password")]
    try home.folder.write("[account]\nsecrets = \"desktop\"\n", to: "config/natter/config.toml")
    let login = try await CommandRun(Programs.natter, arguments, environment: environment)
    #expect(login.status == .exited(77), "\(login.errorText)")
    #expect(
      login.errorText.contains("secret-tool") && login.errorText.contains("secrets = \"file\""),
      "\(login.errorText)")
    let accounts = try await CommandRun(Programs.natter, ["accounts"], environment: environment)
    #expect(accounts.text == "")
    // An account from before shows its chats, and what is missing.
    try FileManager.default.removeItem(at: home.folder.url("config/natter/config.toml"))
    let before = try await CommandRun(Programs.natter, arguments, environment: environment)
    #expect(before.status == .exited(0), "\(before.errorText)")
    try FileManager.default.removeItem(at: home.folder.url("data/natter/credentials"))
    try home.folder.write("[account]\nsecrets = \"desktop\"\n", to: "config/natter/config.toml")
    let natter = try NatterRun(
      [], home: home, rows: 36, environment: ["PATH": home.folder.path("bin")])
    try await natter.shows("Not connected", "secret-tool", "[F2 Chats")
    #expect(await natter.quit() == .exited(0))
    await server.stop()
  }

  @Test func `a keyring that waits for its owner freezes nothing`() async throws {
    let stage = try await Stage()
    try await stage.signIn()
    let environment = try fake(
      "echo $$ > \"\(stage.own.folder.path("pid")).$1\"; exec sleep 1000", in: stage.own)
    let natter = try NatterRun([], home: stage.own, rows: 36, environment: environment)
    try await natter.shows("[F2 Chats")
    try await stage.own.folder.holds("pid.lookup") { $0.hasSuffix("\n") }
    try await natter.type("still here")
    #expect(await natter.quit() == .exited(0))
    for name in ["pid.search", "pid.lookup"] {
      let child = try #require(Int32((stage.own.folder.text(name) ?? "").dropLast()))
      #expect(await waitsUntilGone(child), "\(name)")
    }
    #expect(await stage.keeper.quit() == .exited(0))
  }

  // MARK: - Several programs

  @Test func `programs that sign in at the same time lose no secret`() async throws {
    let stage = try await Stage()
    let names = (0..<6).map { "person\($0)" }
    for name in names { try await stage.web.register(name, "geheim") }
    try await withThrowingTaskGroup(of: CommandRun.self) { group in
      for name in names {
        group.addTask { try await stage.login([], account: "\(name)@localhost") }
      }
      for try await run in group { #expect(run.status == .exited(0), "\(run.errorText)") }
    }
    let accounts = try await stage.natter(["accounts"])
    let kept = try String(
      contentsOf: stage.own.data.appending(path: "credentials"), encoding: .utf8)
    for name in names {
      #expect(accounts.text.contains("\(name)@localhost"))
      #expect(kept.contains("\"\(name)@localhost\""))
    }
    #expect(await stage.keeper.quit() == .exited(0))
  }

  // MARK: - Tokens

  @Test func `natter send and natter doctor renew a token, also while the full screen is there`()
    async throws
  {
    let stage = try await Stage()
    let login = try await stage.login(["--http-url", stage.web.address])
    #expect(login.status == .exited(0), "\(login.errorText)")
    // Otherwise the screen sends over its connection, for which no token is needed.
    try stage.own.folder.write("[bridge]\nsocket = false\n", to: "config/natter/config.toml")
    let natter = try NatterRun([], home: stage.own, rows: 36)
    try await natter.waitsOnline()
    let first = try LocalWeb.token(keptIn: stage.own)
    try await stage.web.revoke(first.access)
    let send = try await stage.natter(["send", "keeper@localhost", "hello past the screen"])
    #expect(send.status == .exited(0), "\(send.errorText)")
    let second = try LocalWeb.token(keptIn: stage.own)
    #expect(second.access != first.access)
    try await stage.web.revoke(second.access)
    let doctor = try await stage.natter(["doctor"])
    #expect(doctor.text.contains("signed in"), "\(doctor.text)\(doctor.errorText)")
    #expect(try LocalWeb.token(keptIn: stage.own).access != second.access)
    #expect(await natter.quit() == .exited(0))
    #expect(await stage.keeper.quit() == .exited(0))
  }
}
