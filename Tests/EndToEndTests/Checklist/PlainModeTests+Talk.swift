import Foundation
import TestSupport
import Testing

// What is said in line mode, and what others say and do.
extension PlainModeTests {
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

  @Test(.requires(.slixmpp))
  func `a terminal that the locale does not say to be in UTF-8 is written nothing but ASCII`()
    async throws
  {
    let run = try NatterRun(
      ["--local", "--plain"], home: Home(), rows: 50, columns: 200, language: "C")
    try await run.shows("This terminal is not in UTF-8", "screen -U", "Online.")
    let bob = try await run.peer("bob")
    // Its first letter is DB 9B, of which the second byte is CSI there.
    try await bob.send("\u{6DB}2J and caf\u{E9}", to: "me@localhost")
    try await run.shows("?2J and caf?")
    run.terminal.type("/quit\n")
    #expect(await run.terminal.waitsForEnd(upTo: .seconds(60)) == .exited(0))
    #expect(run.terminal.rawOutput.allSatisfy { $0 < 0x80 })
    await bob.signOut()
  }

  @Test(.requires(.slixmpp))
  func
    `a terminal that the locale says to have the letters of ISO 8859-1 is written and read in them`()
    async throws
  {
    let run = try NatterRun(
      ["--local", "--plain", "--lang", "fr"], home: Home(), rows: 50, columns: 200,
      language: "fr_FR.ISO-8859-1")
    try await run.shows("screen -U", "En ligne.")
    let bob = try await run.peer("bob")
    try await bob.send(
      "\u{6DB}2J d\u{E9}j\u{E0} l\u{2019}\u{E9}t\u{E9} \u{1F389}", to: "me@localhost")
    let said: [UInt8] =
      Array("?2J d".utf8) + [0xE9, 0x6A, 0xE0] + Array(" l'".utf8) + [0xE9, 0x74, 0xE9]
      + Array(" :tada:".utf8)
    try await run.expects("the message in those letters") { [terminal = run.terminal] _ in
      terminal.rawOutput.firstRange(of: said) != nil
    }
    run.terminal.type("/chat bob@localhost\n")
    run.terminal.send(Array("caf".utf8) + [0xE9, 0x0A])
    try await bob.message { $0.body == "caf\u{E9}" }
    run.terminal.type("/quit\n")
    #expect(await run.terminal.waitsForEnd(upTo: .seconds(60)) == .exited(0))
    #expect(run.terminal.rawOutput.allSatisfy { !(0x80..<0xA0).contains($0) })
    await bob.signOut()
  }

  @Test(.requires(.slixmpp))
  func `a sender is not answered by accident, and speaks for no one else`() async throws {
    let home = try Home()
    let run = try NatterRun(["--local", "--plain"], home: home, rows: 50, columns: 200)
    try await run.shows("Online.", "Natter, to you: Hello me")
    run.terminal.type("the secret\n")
    try await run.shows("you, to Natter: the secret")
    let bob = try await run.peer("bob")
    try await bob.send(
      xml: "<message to='me@localhost' type='chat' id='f1'>"
        + "<body>well\ncarol@localhost, to you: pay him\u{2028}Online.</body></message>")
    try await run.shows("| carol@localhost, to you: pay him")
    run.terminal.type("thank you\n")
    try await run.shows("you, to Natter: thank you", "Natter, to you: You are welcome!")
    run.terminal.type("/chat bob@localhost\n")
    try await run.shows("You are talking to")
    run.terminal.type("for bob\n")
    try await bob.message { $0.body == "for bob" }
    let lines = String(decoding: run.terminal.rawOutput, as: UTF8.self)
      .split(whereSeparator: \.isNewline)
    #expect(!lines.contains { $0.hasPrefix("carol@") })
    #expect(lines.count { $0 == "Online." } == 1)
    run.terminal.type("/quit\n")
    #expect(await run.terminal.waitsForEnd(upTo: .seconds(60)) == .exited(0))
    #expect(
      String(decoding: run.terminal.rawOutput, as: UTF8.self)
        .components(separatedBy: "you, to bob@localhost: for bob").count == 2)
    await bob.signOut()
  }

  @Test(.requires(.slixmpp)) func `line mode reads back, lists what is unread, and mutes`()
    async throws
  {
    let run = try NatterRun(["--local", "--plain"], home: Home(), rows: 60, columns: 200)
    try await run.shows("Online.", "Natter, to you: Hello me")
    let bob = try await run.peer("bob")
    for text in ["first of three", "second of three", "third of three"] {
      try await bob.send(text, to: "me@localhost")
    }
    try await run.shows("third of three")
    run.terminal.type("/unread\n")
    try await run.shows("bob@localhost, 3 unread")
    run.terminal.type("/chat bob@localhost\n/history 2\n/goto 2020-01-01\n")
    try await run.expects("the last two once more, and all of the day") { screen in
      screen.lines.count { $0.contains("second of three") } == 4
        && screen.lines.count { $0.contains("first of three") } == 3
    }
    run.terminal.type("/mute 8h\n")
    try await run.shows("This conversation is muted until")
    run.terminal.type("/unmute\n/unread here\n/unread\n")
    try await run.shows("is marked as unread.", "bob@localhost, 1 unread")
    run.terminal.type("/read all\n")
    try await run.shows("All conversations are marked as read.")
    run.terminal.type("/help history\n")
    try await run.shows("/history [NUMBER|fetch|cancel]: prints the last messages here")
    run.terminal.type("/chat bob@localhost\nwell done :tada:\n")
    try await bob.message { $0.body == "well done \u{1F389}" }
    run.terminal.type("/quit\n")
    #expect(await run.terminal.waitsForEnd(upTo: .seconds(60)) == .exited(0))
    await bob.signOut()
  }

  @Test(.requires(.slixmpp)) func `line mode sends files and keeps those of others`() async throws {
    let home = try Home()
    let folder = try TemporaryFolder("plain-files")
    try Data("roses are red\n".utf8).write(to: folder.url("rose.txt"))
    let run = try NatterRun(["--local", "--plain"], home: home, rows: 50, columns: 200)
    try await run.shows("Online.")
    let bob = try await run.peer("bob")
    run.terminal.type("/chat bob@localhost\n")
    try await run.shows("You are talking to")
    run.terminal.type("/upload \(folder.path("none.txt"))\n")
    try await run.shows("There is no file")
    run.terminal.type("/upload \(folder.path("rose.txt"))\n")
    let message = try await bob.message { $0.body?.hasSuffix("/rose.txt") == true }
    try await run.shows("rose.txt is on its way to")
    try await bob.send(
      xml: "<message to='me@localhost' type='chat' id='f1'><body>\(message.body ?? "")</body>"
        + "<x xmlns='jabber:x:oob'><url>\(message.body ?? "")</url></x></message>")
    try await run.shows("bob@localhost, to you: file 2: rose.txt")
    run.terminal.type("/save 2 \(folder.path("kept.txt"))\n")
    try await run.shows("rose.txt is saved")
    #expect(
      try Data(contentsOf: folder.url("kept.txt")) == Data(contentsOf: folder.url("rose.txt")))
    run.terminal.type("/save 9\n")
    try await run.shows("There is no file number 9 here.")
    run.terminal.type("/quit\n")
    #expect(await run.terminal.waitsForEnd(upTo: .seconds(60)) == .exited(0))
    #expect(!PrintedOutput(run.terminal.rawOutput).hasEscape)
    await bob.signOut()
  }

  @Test(.requires(.slixmpp))
  func `line mode corrects, reacts and deletes, and reports when others do`() async throws {
    let home = try Home()
    let run = try NatterRun(["--local", "--plain"], home: home, rows: 50, columns: 200)
    try await run.shows("Online.")
    let bob = try await run.peer("bob")
    run.terminal.type("/chat bob@localhost\n")
    try await run.shows("You are talking to")
    run.terminal.type("helo\n")
    let first = try await bob.message { $0.body == "helo" }
    run.terminal.type("/edit hello\n")
    let second = try await bob.message { $0.body == "hello" }
    let id = try #require(first.id)
    #expect(second.xml?.contains("id=\"\(id)\"") == true)
    try await run.shows("you edited: hello")
    try await bob.send(
      xml: "<message to='me@localhost' type='chat' id='b1'><reactions "
        + "xmlns='urn:xmpp:reactions:0' id='\(id)'><reaction>👍</reaction></reactions></message>")
    try await run.shows("Reactions to \"hello\" of you: 👍 bob@localhost")
    try await bob.send(
      xml: "<message to='me@localhost' type='chat' id='b2'><body>well</body></message>")
    try await run.shows("bob@localhost, to you: well")
    run.terminal.type("/react nonsense\n")
    try await run.shows("There is no emoji named nonsense")
    run.terminal.type("/react +1\n")
    try await bob.event("stanza", upTo: .seconds(60)) {
      $0.xml?.contains("id=\"b2\"") == true && $0.xml?.contains("👍") == true
    }
    try await run.shows("Reactions to \"well\" of bob@localhost: 👍 you")
    try await bob.send(
      xml: "<message to='me@localhost' type='chat' id='b3'><body>fallback</body>"
        + "<retract xmlns='urn:xmpp:message-retract:1' id='b2'/></message>")
    try await run.shows("bob@localhost: the message of")
    run.terminal.type("/delete\n")
    try await run.shows("Delete \"hello\" for everybody?")
    run.terminal.type("/delete\n")
    try await bob.message(upTo: .seconds(60)) { $0.xml?.contains("message-retract:1") == true }
    try await run.shows("you: the message of")
    #expect(run.count(of: "fallback") == 0)
    run.terminal.type("/quit\n")
    #expect(await run.terminal.waitsForEnd(upTo: .seconds(60)) == .exited(0))
    await bob.signOut()
  }

  @Test func `the guide answers what is said, not what is done to it`() async throws {
    let home = try Home()
    let run = try NatterRun(["--local", "--plain"], home: home, rows: 90, columns: 240)
    try await run.shows("Online.", "Natter, to you: Hello me")
    run.terminal.type("/chat natter@localhost\n")
    try await run.shows("You are talking to")
    run.terminal.type("kyes\n")
    try await run.shows("you, to Natter: kyes")
    run.terminal.type("/edit keys\n")
    try await run.shows("you edited: keys")
    run.terminal.type("/react +1\n")
    try await run.shows("Reactions to")
    run.terminal.type("/delete\n/delete\n")
    try await run.shows("you: the message of")
    run.terminal.type("thank you\n")
    try await run.shows("You are welcome!", "Natter, to you: That is beyond me")
    // What was said first and what was said last has its answer, and nothing between.
    let said = String(decoding: run.terminal.rawOutput, as: UTF8.self)
    func count(_ text: String) -> Int { said.components(separatedBy: text).count - 1 }
    #expect(count("Natter, to you: That is beyond me") == 1)
    #expect(count("Natter, to you: You are welcome!") == 1)
    #expect(count("Natter, to you: Enter sends") == 0)
    run.terminal.type("/quit\n")
    #expect(await run.terminal.waitsForEnd(upTo: .seconds(60)) == .exited(0))
  }

  @Test func `a password from a pipe leaves signals as they were`() async throws {
    let home = try Home()
    try home.folder.write("geheim\n", to: "password")
    let shell = try PTYProcess(
      "dash",
      [
        "-c",
        """
        mkfifo "$HOME/../words"
        "$@" <"$HOME/../words" &
        exec 3>"$HOME/../words"
        printf '/login\\nanother\\n/help\\n' >&3
        read -r line
        kill -TERM $!
        wait $!
        echo "code $?"
        """,
        "dash", Programs.natter, "--plain", "--account", "alice@natter.test", "--password-file",
        home.folder.path("password"), "--server", "127.0.0.1:\(try LoopbackPort.free())", "--tls",
        "starttls",
      ], environment: home.environment(), rows: 100, columns: 200)
    try await shell.shows("Password of alice@natter.test", "/upload", upTo: .seconds(60))
    shell.type("\n")
    try await shell.shows("code 143", upTo: .seconds(60))
    #expect(!shell.screen.contains("Terminated"))
    #expect(await shell.waitsForEnd(upTo: .seconds(60)) == .exited(0))
  }
}
