import Foundation
import TestSupport
import Testing

/// Natter's own way over HTTP to the built-in server: found, granted, renewed, withdrawn.
@Suite(.timeLimit(.minutes(6))) struct LocalTokenTests {
  /// A built-in server that stays as long as `keeper` is there, with an account.
  struct Stage {
    let keeper: NatterRun
    let web: LocalWeb
    let own: Home

    init() async throws {
      keeper = try NatterRun.local(account: "keeper", home: try Home())
      try await keeper.waitsOnline()
      web = try await LocalWeb(of: keeper.home)
      try await web.register("erin", "geheim")
      own = try Home()
      try own.folder.write("geheim\n", to: "password")
    }

    func natter(_ arguments: [String], _ environment: [String: String] = [:]) async throws
      -> CommandRun
    {
      try await CommandRun(
        Programs.natter, arguments,
        environment: own.environment(terminal: "dumb", language: "C.UTF-8", environment))
    }

    /// - Parameter port: where the server is reached.
    func login(
      _ more: [String], account: String = "erin@localhost", port: UInt16? = nil,
      environment: [String: String] = [:]
    ) async throws -> CommandRun {
      try await natter(
        ["login", account, "--server", "127.0.0.1:\(port ?? web.port)", "--tls", "off"]
          + more + ["--password-file", own.folder.path("password")], environment)
    }

    /// erin's account and secret are kept from here on.
    func signIn(_ environment: [String: String] = [:]) async throws {
      let login = try await login(["--http-url", web.address], environment: environment)
      try #require(login.status == .exited(0), "\(login.errorText)")
    }
  }

  @Test func `a token is granted, renewed after it was revoked, and gone after signing out`()
    async throws
  {
    let stage = try await Stage()
    let login = try await stage.login(["--http-url", stage.web.address])
    #expect(login.status == .exited(0), "\(login.errorText)")
    let kept = try LocalWeb.token(keptIn: stage.own)
    #expect(kept.refresh != nil)

    // Withdrawn: it is refused, and renewed without a question.
    try await stage.web.revoke(kept.access)
    let send = try await stage.natter([
      "send", "keeper@localhost", "hello", "--account", "erin@localhost",
    ])
    #expect(send.status == .exited(0), "\(send.errorText)")
    let renewed = try LocalWeb.token(keptIn: stage.own)
    #expect(renewed.access != kept.access)

    let logout = try await stage.natter(["logout", "erin@localhost"])
    #expect(logout.status == .exited(0))
    let after = try await stage.web.post(
      "/oauth/token", ["grant_type=refresh_token", "refresh_token=\(renewed.refresh ?? "")"])
    #expect(after.contains("invalid_grant"))
    #expect(await stage.keeper.quit() == .exited(0))
  }

  @Test func `where only a refused token names the login, a password becomes a token as well`()
    async throws
  {
    let stage = try await Stage()
    // Nothing is said of the web: the chat server says it itself (RFC 7628, XEP-0493).
    let login = try await stage.login([])
    #expect(login.status == .exited(0), "\(login.errorText)")
    let kept = try String(
      contentsOf: stage.own.data.appending(path: "credentials"), encoding: .utf8)
    #expect(kept.contains(stage.web.address) && !kept.contains("geheim"), "\(kept)")
    #expect(await stage.keeper.quit() == .exited(0))
  }

  @Test func `a sign-in that ends asks for the password over the chat, and all is where it was`()
    async throws
  {
    let stage = try await Stage()
    let relay = try FaultRelay(to: stage.web.port)
    let login = try await stage.login(
      ["--http-url", stage.web.address], port: relay.port)
    #expect(login.status == .exited(0), "\(login.errorText)")
    let natter = try NatterRun([], home: stage.own, rows: 36)
    try await natter.waitsOnline()
    try await natter.open(chat: "keeper@localhost")
    for number in 101...140 { try await natter.say("line \(number)") }
    // The other one's client says that it has them.
    try await natter.showsDelivered("line 140")
    // Back in the conversation, with something half written.
    natter.terminal.press(.pageUp)
    try await natter.hides("line 140")
    natter.terminal.type("half of a thou")
    try await natter.shows("half of a thou")
    let shown = Self.lines(natter.screen)
    #expect(!shown.isEmpty && !shown.contains(140), "\(shown)")

    // What renews it goes with it, and the connection breaks: there is nothing left to come back
    // with.
    let kept = try LocalWeb.token(keptIn: stage.own)
    try await stage.web.revoke(try #require(kept.refresh))
    relay.inflict(.drop)
    try await natter.shows("The sign-in has expired", "erin@localhost", "Password")
    natter.terminal.type("geheim")
    natter.terminal.press(.enter)
    try await natter.waitsOnline()
    try await natter.expects("the same lines and the draft") { screen in
      Self.lines(screen) == shown && screen.contains("half of a thou")
        && !screen.contains("The sign-in has expired")
    }
    #expect(try LocalWeb.token(keptIn: stage.own).access != kept.access)
    natter.terminal.type("ght")
    try await natter.shows("half of a thought")
    natter.terminal.press(.enter)
    try await natter.showsDelivered("half of a thought")
    #expect(await natter.quit() == .exited(0))
    #expect(await stage.keeper.quit() == .exited(0))
  }

  @Test func `the form that asks for the password takes no key that was meant for the message`()
    async throws
  {
    let stage = try await Stage()
    let relay = try FaultRelay(to: stage.web.port)
    let login = try await stage.login(
      ["--http-url", stage.web.address], port: relay.port)
    #expect(login.status == .exited(0), "\(login.errorText)")
    let natter = try NatterRun([], home: stage.own, rows: 36)
    try await natter.waitsOnline()
    try await natter.open(chat: "keeper@localhost")
    let token = try LocalWeb.token(keptIn: stage.own)
    try await stage.web.revoke(try #require(token.refresh))
    // Keys without a pause until the program knows that the sign-in has ended, and some more. Each
    // key's effect is awaited, so that no clock decides: where the machine is too slow for a steady
    // hand, the form comes in between, and that is seen.
    let form = "The sign-in has expired"
    try await natter.type("for the message")
    relay.inflict(.drop)
    func press(_ key: TerminalKey, until line: String) async throws -> Bool {
      natter.terminal.press(key)
      try await natter.expects("“\(line)” in the input, or the form") { screen in
        screen.contains(form) || screen.lines.contains { $0.hasSuffix(line) }
      }
      return !natter.screen.contains(form)
    }
    var isSteady = true
    while isSteady, !natter.screen.contains("Not signed in: the sign-in has expired") {
      isSteady = try await press(.text("x"), until: "for the messagex")
      if isSteady { isSteady = try await press(.backspace, until: "for the message") }
    }
    var typed = "for the message"
    for letter in "-only" where isSteady {
      isSteady = try await press(.text(String(letter)), until: typed + String(letter))
      if isSteady { typed.append(letter) }
    }
    // A pause: now it comes, and says why.
    try await natter.shows(form, "erin@localhost", "Password")
    // Keys that the form was given during an involuntary pause.
    if !isSteady { natter.terminal.press(.control("u")) }
    natter.terminal.type("geheim")
    try await natter.shows("******", form)
    natter.terminal.press(.enter)
    try await natter.waitsOnline()
    let kept = typed
    try await natter.expects("all that was typed, where it was typed") { screen in
      screen.lines.contains { $0.contains("> \(kept)") }
    }
    #expect(await natter.quit() == .exited(0))
    #expect(await stage.keeper.quit() == .exited(0))
  }

  @Test func `whatever tab one is in, the sign-in that ended is asked for over it`() async throws {
    let stage = try await Stage()
    let relay = try FaultRelay(to: stage.web.port)
    let login = try await stage.login(
      ["--http-url", stage.web.address], port: relay.port)
    #expect(login.status == .exited(0), "\(login.errorText)")
    let natter = try NatterRun([], home: stage.own, rows: 36)
    try await natter.waitsOnline()
    let tabs: [(key: TerminalKey, label: String)] = [
      (.f(3), "[F3 Contacts"), (.f(4), "[F4 Discover"), (.f(5), "[F5 Files"), (.f(6), "[F6 Me"),
    ]
    for tab in tabs {
      natter.terminal.press(tab.key)
      try await natter.expects(tab.label) { $0.text(row: 0).contains(tab.label) }
      let kept = try LocalWeb.token(keptIn: stage.own)
      try await stage.web.revoke(try #require(kept.refresh))
      relay.inflict(.drop)
      try await natter.shows("The sign-in has expired", "erin@localhost", "Password")
      natter.terminal.type("geheim")
      natter.terminal.press(.enter)
      try await natter.expects("\(tab.label), online") { screen in
        screen.text(row: 0).contains(tab.label) && screen.text(row: 0).contains("online")
          && !screen.contains("The sign-in has expired")
      }
      #expect(try LocalWeb.token(keptIn: stage.own).access != kept.access)
    }
    #expect(await natter.quit() == .exited(0))
    #expect(await stage.keeper.quit() == .exited(0))
  }

  /// The numbers of the lines of the conversation that are on the screen.
  private static func lines(_ screen: VirtualTerminal) -> [Int] {
    screen.lines.compactMap { line in
      line.range(of: "line 1").flatMap { Int(line[$0.lowerBound...].dropFirst(5).prefix(3)) }
    }
  }

  // MARK: With a browser

  @Test func `a code that is typed on the server's page signs in`() async throws {
    let stage = try await Stage()
    let terminal = try browser(stage, "erin", stage.web.address)
    try await terminal.shows("\(stage.web.address)/device", "Waiting", upTo: .seconds(60))
    let code = try #require(
      Self.words(terminal).first { $0.count == 9 && $0.dropFirst(4).hasPrefix("-") })
    let page = try await stage.web.post(
      "/device", ["user_code=\(code)", "username=erin", "password=geheim"])
    #expect(page.contains("your program is signed in"))
    #expect(await terminal.waitsForEnd(upTo: .seconds(60)) == .exited(0), "\(terminal.screen)")
    try await sends(stage, as: "erin")
    #expect(await stage.keeper.quit() == .exited(0))
  }

  @Test func `an account is created on the server's page, and the code returns by itself`()
    async throws
  {
    let stage = try await Stage()
    let description = try stage.web.withoutCodes()
    let terminal = try browser(stage, "rose", description.address)
    try await terminal.shows(
      "\(description.address)/oauth/authorize?", "Waiting", upTo: .seconds(60))
    let address = try #require(Self.words(terminal).first { $0.contains("/oauth/authorize?") })
    let page = try await CommandRun.check("curl", ["-sS", "--noproxy", "*", address]).text
    #expect(page.contains("Natter asks to sign in"))
    let hidden = page.matches(of: /<input type=hidden name="([^"]*)" value="([^"]*)">/).map {
      "\($0.1)=\($0.2.replacing("&amp;", with: "&"))"
    }
    let back = try await stage.web.post(
      "/oauth/authorize",
      hidden + ["username=rose", "password=thorn 1", "key=\(stage.web.key)", "create=1"], ["-L"])
    #expect(back.contains("Natter is signed in"), "\(back)")
    #expect(await terminal.waitsForEnd(upTo: .seconds(60)) == .exited(0), "\(terminal.screen)")
    let kept = try LocalWeb.token(keptIn: stage.own)
    #expect(kept.refresh != nil)
    try await sends(stage, as: "rose")
    #expect(await stage.keeper.quit() == .exited(0))
  }

  private func browser(_ stage: Stage, _ name: String, _ web: String) throws -> PTYProcess {
    try PTYProcess(
      Programs.natter,
      [
        "login", "--browser", "\(name)@localhost", "--http-url", web, "--server",
        "127.0.0.1:\(stage.web.port)", "--tls", "off",
      ], environment: stage.own.environment(), rows: 60, columns: 700)
  }

  /// Returns the output, split at spaces.
  private static func words(_ terminal: PTYProcess) -> [String] {
    String(decoding: terminal.rawOutput, as: UTF8.self).split(whereSeparator: \.isWhitespace)
      .map(String.init)
  }

  private func sends(_ stage: Stage, as name: String) async throws {
    let send = try await stage.natter([
      "send", "keeper@localhost", "hello from \(name)", "--account", "\(name)@localhost",
    ])
    #expect(send.status == .exited(0), "\(send.errorText)")
    try await stage.keeper.lists(name, unread: 1)
  }
}
