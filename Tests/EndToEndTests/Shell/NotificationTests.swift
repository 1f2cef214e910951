import Foundation
import TestSupport
import Testing

/// Notifications of messages outside the conversation: the bell, the terminal, the desktop, the
/// user's own program.
@Suite(.requires(.slixmpp), .limitedConcurrency) struct NotificationTests {
  /// Steers a terminal, ends a sequence, asks a shell, and is markup: XML has no other C0 than tab
  /// and line ends.
  static let hostile = "-n; $(id) &lt;b&gt;&amp;&#x9b;31m&#x9c;&#x202e;\tend"

  /// Online on the built-in server, the guide's conversation open.
  func run(
    notify: String, terminal: String = "xterm-256color", environment: [String: String] = [:],
    home: Home? = nil
  ) async throws -> NatterRun {
    let home = try home ?? Home()
    try home.folder.write("[notify]\n\(notify)\n", to: "config/natter/config.toml")
    return try await NatterRun.chatting(home: home, terminal: terminal, environment: environment)
  }

  func message(_ body: String, id: String = UUID().uuidString) -> String {
    "<message to='me@localhost' type='chat' id='\(id)'><body>\(body)</body></message>"
  }

  struct Form: Sendable, CustomTestStringConvertible {
    let setting: String
    var terminal = "xterm-256color"
    var environment: [String: String] = [:]
    /// The sequences before, between and behind the title and the text.
    let before: String
    let between: String
    let after: String
    var testDescription: String { "\(setting) on \(terminal) \(environment.keys.sorted())" }

    static let bell = "\u{7}"
    static let string = "\u{1b}\\"
    static let all = [
      Form(setting: "osc9", before: "\u{1b}]9;", between: ": ", after: bell),
      Form(
        setting: "osc99", before: "\u{1b}]99;i=natter:d=0:p=title;",
        between: "\(string)\u{1b}]99;i=natter:d=1:p=body;", after: string),
      Form(setting: "osc777", before: "\u{1b}]777;notify;", between: ";", after: bell),
      // Chosen by what the surroundings say of the terminal.
      Form(
        setting: "auto", environment: ["TERM_PROGRAM": "WezTerm"], before: "\u{1b}]9;",
        between: ": ", after: bell),
      Form(
        setting: "auto", environment: ["KITTY_WINDOW_ID": "1"],
        before: "\u{1b}]99;i=natter:d=0:p=title;",
        between: "\(string)\u{1b}]99;i=natter:d=1:p=body;", after: string),
      Form(
        setting: "auto", environment: ["TERM_PROGRAM": "ghostty"], before: "\u{1b}]777;notify;",
        between: ";", after: bell),
      // tmux hands on what is wrapped for it.
      Form(
        setting: "osc777", terminal: "tmux-256color", environment: ["TMUX": "/tmp/none,1,0"],
        before: "\u{1b}Ptmux;\u{1b}\u{1b}]777;notify;", between: ";", after: bell + string),
    ]
  }

  @Test(arguments: Form.all)
  func `the terminal is notified in its way, with nothing in it that could steer it`(form: Form)
    async throws
  {
    let run = try await run(
      notify: "desktop = \"\(form.setting)\"\npreview = true", terminal: form.terminal,
      environment: form.environment)
    let bob = try await run.peer("bob")
    try await run.bellIsDue()
    let (mark, bells) = (run.terminal.outputCount, run.screen.bells)
    try await bob.send(xml: message(Self.hostile))
    try await run.lists("bob", unread: 1)
    try await run.terminal.prints("end" + form.after, since: mark, upTo: .seconds(60))
    let output = String(decoding: run.terminal.output(since: mark), as: UTF8.self)
    let start = try #require(output.range(of: form.before + "bob@localhost" + form.between))
    let end = try #require(
      output.range(of: form.after, range: start.upperBound..<output.endIndex))
    let reported = output[start.upperBound..<end.lowerBound]
    #expect(reported.hasPrefix("-n, $(id) <b>&") && reported.hasSuffix("end"))
    #expect(!reported.contains(";") && PrintedOutput(Array(reported.utf8)).steeringScalars == [])
    #expect(!reported.unicodeScalars.contains { $0.value < 0x20 })
    // The notification comes first, and the bell after it.
    try await run.expects("the bell") { $0.bells > bells }
    #expect(run.screen.bells == bells + 1)
    #expect(await run.quit() == .exited(0))
    await bob.signOut()
  }

  @Test func `without a preview nothing of the message is shown`() async throws {
    let run = try await run(notify: "desktop = \"osc9\"")
    let bob = try await run.peer("bob")
    try await bob.send("secret words", to: "me@localhost")
    try await run.lists("bob", unread: 1)
    try await run.terminal.prints("\u{1b}]9;bob@localhost: New message\u{7}", upTo: .seconds(60))
    #expect(run.screen.systemCommands.allSatisfy { !$0.contains("secret") })
    #expect(await run.quit() == .exited(0))
    await bob.signOut()
  }

  /// A program that keeps its arguments, one to a line between brackets, and then says that it has.
  private func notifier(_ name: String, in home: Home) throws -> String {
    try home.folder.write(
      "#!/bin/sh\nprintf '[%s]\\n' \"$@\" >\"$TOLD.part\" && mv \"$TOLD.part\" \"$TOLD\"\n",
      to: "bin/\(name)", mode: 0o700)
    return home.folder.path("bin/\(name)")
  }

  /// Waits for the notification about bob; the guide's greeting may have caused one before.
  private func reported(_ home: Home) async throws -> [String] {
    try await home.folder.holds("told") { $0.contains("[bob@localhost]") }
    return (home.folder.text("told") ?? "").split(separator: "\n").map(String.init)
  }

  @Test(arguments: [
    ("desktop = \"notify-send\"", [:]), ("desktop = \"auto\"", ["DISPLAY": ":99"]),
  ])
  func `notify-send gets title and text as arguments of their own, and no markup`(
    setting: String, environment: [String: String]
  ) async throws {
    let home = try Home()
    _ = try notifier("notify-send", in: home)
    let path = home.folder.path("bin") + ":" + Programs.searchPath
    let run = try await run(
      notify: setting + "\npreview = true",
      environment: environment.merging(["PATH": path, "TOLD": home.folder.path("told")]) { $1 },
      home: home)
    let bob = try await run.peer("bob")
    try await bob.send(xml: message(Self.hostile))
    let words = try await reported(home)
    #expect(words.prefix(3) == ["[--app-name=Natter]", "[--]", "[bob@localhost]"])
    #expect(words.count == 4)
    let text = try #require(words.last)
    #expect(text.hasPrefix("[-n; $(id) &lt;b&gt;&amp;") && text.hasSuffix("end]"))
    #expect(PrintedOutput(Array(text.utf8)).steeringScalars == [])
    // The terminal is not notified as well.
    #expect(!run.screen.systemCommands.contains { $0.contains("bob") })
    #expect(await run.quit() == .exited(0))
    await bob.signOut()
  }

  @Test func `a program of the user's own gets title and text behind its own arguments`()
    async throws
  {
    let home = try Home()
    let program = try notifier("mine", in: home)
    let run = try await run(
      notify: "desktop = \"osc9\"\npreview = true\ncommand = [\"\(program)\", \"--urgent\"]",
      environment: ["TOLD": home.folder.path("told")], home: home)
    let bob = try await run.peer("bob")
    try await bob.send(xml: message(Self.hostile))
    let words = try await reported(home)
    #expect(words.prefix(2) == ["[--urgent]", "[bob@localhost]"])
    #expect(words.count == 3 && words.last?.hasPrefix("[ -n; $(id) <b>&") == true)
    #expect(PrintedOutput(Array((words.last ?? "").utf8)).steeringScalars == [])
    // Instead of everything else, which is not queried.
    #expect(!run.screen.systemCommands.contains { $0.hasPrefix("9;") })
    #expect(await run.quit() == .exited(0))
    await bob.signOut()
  }

  /// `22:00-07:00` around the present, or some hours away from it.
  private func hours(aroundNow isNow: Bool) -> String {
    let hour = Int(Date().timeIntervalSince1970) / 3600 % 24
    func text(_ hour: Int) -> String { (hour % 24 < 10 ? "0" : "") + "\(hour % 24):00" }
    let first = isNow ? hour + 22 : hour + 10
    return text(first) + "-" + text(first + 5)
  }

  @Test func `in quiet hours nothing notifies and nothing rings; the message is there`()
    async throws
  {
    for isQuiet in [true, false] {
      let run = try await run(
        notify: "desktop = \"osc9\"\nquiet = \"\(hours(aroundNow: isQuiet))\"")
      let bob = try await run.peer("bob")
      try await run.bellIsDue()
      let bells = run.screen.bells
      try await bob.send("are you there?", to: "me@localhost")
      try await run.lists("bob", unread: 1)
      // A key's echo is on the screen behind everything that the message had to print.
      try await run.adds("x", toHave: "x")
      if !isQuiet { try await run.expects("the bell") { $0.bells > bells } }
      #expect(run.screen.bells == bells + (isQuiet ? 0 : 1))
      #expect(run.screen.systemCommands.contains { $0.hasPrefix("9;") } == !isQuiet)
      #expect(await run.quit() == .exited(0))
      await bob.signOut()
    }
  }

  @Test(arguments: [("mention", [true, true, false]), ("never", [false, false, false])])
  func `the rule of a conversation decides what rings, and a bell that is off stays silent`(
    bell: String, rings: [Bool]
  ) async throws {
    let run = try await run(notify: "bell = \"\(bell)\"\ndesktop = \"off\"")
    let bob = try await run.peer("bob")
    for (number, (rule, rings)) in zip(["default", "all", "none"], rings).enumerated() {
      try await run.open(chat: "bob@localhost")
      try await run.say("/notify \(rule)")
      try await run.open(chat: "natter@localhost")
      try await run.shows(NatterRun.greetingEnd)
      try await run.bellIsDue()
      let bells = run.screen.bells
      try await bob.send("number \(number)", to: "me@localhost")
      try await run.lists("bob", unread: 1)
      if rings { try await run.expects("the bell") { $0.bells > bells } }
      try await run.adds("x", toHave: "x")
      #expect(run.screen.bells == bells + (rings ? 1 : 0), "\(rule)")
      run.terminal.press(.control("u"))
      try await run.inputHolds("")
    }
    #expect(await run.quit() == .exited(0))
    await bob.signOut()
  }

  @Test func `while the terminal has the focus the conversation in it does not notify`()
    async throws
  {
    let run = try await run(notify: "desktop = \"osc9\"")
    let bob = try await run.peer("bob")
    try await run.open(chat: "bob@localhost")
    #expect(run.screen.modes.contains(1004))
    try await run.bellIsDue()
    let bells = run.screen.bells
    try await bob.send("seen at once", to: "me@localhost")
    try await run.shows("seen at once")
    try await run.adds("x", toHave: "x")
    #expect(run.screen.bells == bells)
    // Somebody else's window has the keys now; the letter comes behind it.
    run.terminal.type("\u{1b}[O")
    try await run.adds("y", toHave: "xy")
    try await bob.send("not seen", to: "me@localhost")
    try await run.expects("the bell") { $0.bells == bells + 1 }
    try await run.terminal.prints("\u{1b}]9;bob@localhost", upTo: .seconds(60))
    #expect(await run.quit() == .exited(0))
    await bob.signOut()
  }

  @Test func `in a room a mention rings once and is marked, what is said to all does not`()
    async throws
  {
    let run = try await run(notify: "desktop = \"off\"")
    let bob = try await run.peer("bob")
    try await run.say("/join den")
    try await run.shows("The room is new")
    let room = try #require(run.screen.description.firstMatch(of: /den@[a-z.]*localhost/)).0
    try await bob.send(
      xml: "<presence to='\(room)/bob'><x xmlns='http://jabber.org/protocol/muc'/></presence>")
    try await run.shows("2 people")
    try await run.open(chat: "natter@localhost")
    try await run.shows(NatterRun.greetingEnd)
    func says(_ text: String) async throws {
      try await bob.send(
        xml:
          "<message to='\(room)' type='groupchat' id='\(UUID().uuidString)'><body>\(text)</body></message>"
      )
    }
    try await run.bellIsDue()
    let bells = run.screen.bells
    try await says("hello all")
    try await run.lists("den", unread: 1)
    try await run.adds("x", toHave: "x")
    #expect(run.screen.bells == bells)
    try await says("me: hello you")
    try await run.expects("the mark of a mention") { screen in
      screen.lines.contains { $0.contains("# den") && $0.prefix(21).contains("@") }
    }
    try await run.expects("the bell") { $0.bells == bells + 1 }
    // Unless that room is muted.
    run.terminal.press(.alt("a"))
    try await run.shows("hello you")
    run.terminal.press(.control("u"))
    try await run.say("/notify none")
    try await run.open(chat: "natter@localhost")
    try await run.shows(NatterRun.greetingEnd)
    try await run.bellIsDue()
    try await says("me: once more")
    try await run.expects("the mark of a mention") { screen in
      screen.lines.contains { $0.contains("# den") && $0.prefix(21).contains("@") }
    }
    try await run.adds("z", toHave: "xz")
    #expect(run.screen.bells == bells + 1)
    #expect(await run.quit() == .exited(0))
    await bob.signOut()
  }
}
