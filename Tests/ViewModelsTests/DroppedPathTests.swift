import ChatsFixtures
import NatterCore
import TestSupport
import Testing

@testable import ViewModels

/// Paths as file managers and terminals hand them over, and as people type them.
@MainActor @Suite struct DroppedPathTests {
  private func path(_ text: String) -> String? { DroppedPath.path(in: text) }

  private func paths(_ text: String, where files: Set<String>) -> [String] {
    DroppedPath.paths(in: text) { files.contains($0) }
  }

  @Test(arguments: [
    // As it is, with blanks around and in it.
    ("/home/me/rose.png", "/home/me/rose.png"),
    ("  /home/me/rose.png \n", "/home/me/rose.png"),
    ("/home/me/rose garden.png", "/home/me/rose garden.png"),
    ("~/notes.txt", "~/notes.txt"), ("rose.png", "rose.png"),
    ("/tmp/Rosen & Büsche (2) $HOME *.png", "/tmp/Rosen & Büsche (2) $HOME *.png"),
    // Backslashes: Konsole, iTerm2, Terminal.app.
    (#"/tmp/rose\ garden\ \(2\).png"#, "/tmp/rose garden (2).png"),
    (#"/tmp/it\'s\ \"one\".txt"#, #"/tmp/it's "one".txt"#),
    (#"/tmp/a\\b"#, #"/tmp/a\b"#), (#"/tmp/end\"#, "/tmp/end"),
    // Quotes: GNOME Terminal, foot, kitty; as a shell has them.
    ("'/tmp/rose garden.png'", "/tmp/rose garden.png"),
    ("'/tmp/rose garden.png' ", "/tmp/rose garden.png"),
    (#"'/tmp/it'\''s.txt'"#, "/tmp/it's.txt"), (#"'/tmp/it'"'"'s.txt'"#, "/tmp/it's.txt"),
    (#"'/tmp/a\b'"#, #"/tmp/a\b"#),
    (#""/tmp/rose garden.png""#, "/tmp/rose garden.png"),
    (#""/tmp/say \"hello\" \$x \`y\` \\ \n.txt""#, #"/tmp/say "hello" $x `y` \ \n.txt"#),
    ("'/tmp/two\nlines'", "/tmp/two\nlines"),
    // A quote in the middle is a letter.
    ("/tmp/Bob's notes.txt", "/tmp/Bob's notes.txt"),
    ("/tmp/the 'a' and 'b'", "/tmp/the 'a' and 'b'"),
    ("'tis.txt", "'tis.txt"),
    // URIs: X11 and Wayland drops, kitty, copies of file managers.
    ("file:///tmp/rose%20garden%20%C3%BC.png", "/tmp/rose garden ü.png"),
    ("file://localhost/tmp/a", "/tmp/a"), ("file://myhost/tmp/a", "/tmp/a"),
    ("file:///tmp/50%25%zz", "/tmp/50%%zz"), ("file:///tmp/two%0Alines", "/tmp/two\nlines"),
    (#"file:///tmp/a\b"#, #"/tmp/a\b"#), ("file:///tmp/with blank", "/tmp/with blank"),
  ])
  func `one path is found in what a terminal hands over`(text: String, expected: String) {
    #expect(path(text) == expected)
  }

  @Test(arguments: [
    "", "   ", "\n\n", "/tmp/one\n/tmp/two", "one line\nand another", "''", "\"\"", "file://",
    "file://host", "file:///tmp/passwd%00.png", "'/tmp/nul\u{0}'",
  ])
  func `what is no path is none`(text: String) { #expect(path(text) == nil) }

  @Test(arguments: [
    "'/t/a b' '/t/c'", "'/t/a b' '/t/c' ", #"/t/a\ b /t/c"#, #""/t/a b" /t/c"#,
    "/t/a\\ b\n/t/c\n", "file:///t/a%20b\r\nfile:///t/c\r\n", "file:///t/a%20b file:///t/c",
    "'/t/a b'\n'/t/c'",
  ])
  func `several at once are found, however they are separated`(text: String) {
    #expect(paths(text, where: ["/t/a b", "/t/c"]) == ["/t/a b", "/t/c"])
  }

  @Test func `a file that is there is meant, and several only when all of them are there`() {
    #expect(paths("/t/a /t/b", where: ["/t/a /t/b", "/t/a", "/t/b"]) == ["/t/a /t/b"])
    #expect(paths("/t/a /t/b", where: ["/t/a", "/t/b"]) == ["/t/a", "/t/b"])
    // One mistake, reported as it was typed.
    #expect(paths("/t/a /t/b", where: ["/t/a"]) == ["/t/a /t/b"])
    #expect(paths("/t/rose garden", where: []) == ["/t/rose garden"])
    #expect(paths(#"/t/a\b"#, where: [#"/t/a\b"#]) == [#"/t/a\b"#])
    #expect(paths(#"/t/a\b"#, where: []) == ["/t/ab"])
    #expect(paths("/t/a\n/t/b", where: ["/t/a"]) == [])
    #expect(paths("hello there", where: ["/t/a"]) == ["hello there"])
  }

  @Test(arguments: [
    "/t/a", "/t/a b", "/t/it's", #"/t/"x""#, #"/t/a\b"#, "/t/two\nlines", "/t/\u{1B}[31mred",
    "/t/ü 祝", "/t/a\u{A0}b", "/t/$HOME", "/t/ ends with blank ", "/t/50%", "/t/'", "/t/tab\there",
  ])
  func `what is quoted is one word on one line, and found again`(path: String) {
    let text = DroppedPath.quoted(path)
    #expect(!text.contains(where: \.isNewline) && !text.contains("\u{1B}"))
    #expect(self.path(text) == path)
    #expect(paths("\(text) \(text)", where: [path]) == [path, path])
  }

  // MARK: In the input

  private func shell(_ files: FakeFiles, where there: Set<String>) async -> ShellViewModel {
    let shell = ShellViewModel(
      FakePorts(
        messages: [message(1, "hi")],
        conversations: [Conversation(jid: .bob, lastActivity: .minutes(1))]),
      files: .on(files, isFile: { there.contains($0) }))
    await shell.load()
    return shell
  }

  @Test
  func `files that are dropped into the empty input become the command, and nothing else does`()
    async
  {
    let shell = await shell(FakeFiles(), where: ["/t/a b", "/t/c", "/home/alice/n"])
    #expect(shell.paste("'/t/a b' ") == "/upload '/t/a b'")
    #expect(shell.status.message.text == "Enter sends this file; ^C cancels.")
    #expect(shell.paste("file:///t/a%20b\r\nfile:///t/c\r\n") == "/upload '/t/a b' /t/c")
    #expect(shell.status.message.text == "Enter sends these 2 files; ^C cancels.")
    #expect(shell.paste("~/n") == "/upload ~/n")
    // Not there, a name without a folder, text.
    #expect(shell.paste("/t/nowhere") == "/t/nowhere")
    #expect(shell.paste("c") == "c")
    #expect(shell.paste("see /t/c") == "see /t/c")
    // Among other text a path is just text.
    shell.type("look: ")
    #expect(shell.paste("'/t/a b'") == "'/t/a b'")
  }

  @Test func `several are sent one by one; those that are refused come back`() async {
    let files = FakeFiles()
    let shell = await shell(files, where: ["/t/a b", "/t/c"])
    shell.type("/upload '/t/a b' /t/c")
    shell.submit()
    await shell.lifetime.settle()
    #expect(await files.calls == ["share /t/a b bob@example.net", "share /t/c bob@example.net"])
    #expect(shell.input.text == "")
    await files.refuse("/t/c")
    shell.type("/upload '/t/a b' /t/c")
    shell.submit()
    await shell.lifetime.settle()
    #expect(shell.input.text == "/upload /t/c")
  }
}
