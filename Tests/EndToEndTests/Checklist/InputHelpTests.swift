import Foundation
import TestSupport
import Testing

/// Help while the user types: names of emoji, paths, an external editor.
@Suite(.limitedConcurrency) struct InputHelpTests {
  @Test func `Tab makes an emoji of its name, and another Tab the next one`() async throws {
    let run = try await NatterRun.chatting()
    try await run.adds("well :thumbs", toHave: "well :thumbs")
    run.terminal.press(.tab)
    try await run.inputHolds("well 👍")
    try await run.shows(":thumbs_up:", ":thumbs_down:")
    run.terminal.press(.tab)
    try await run.inputHolds("well 👎")
    run.terminal.press(.enter)
    try await run.shows("you    well 👎", tick: "✓✓")
    #expect(await run.quit() == .exited(0))
  }

  @Test func `Tab completes the path of a file that is sent then`() async throws {
    let home = try Home()
    let folder = home.home.appending(path: "a folder")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try Data("hello".utf8).write(to: folder.appending(path: "notes of May.txt"))
    try Data("hidden".utf8).write(to: folder.appending(path: ".secret"))
    let run = try await NatterRun.chatting(home: home)
    try await run.adds("/upload ~/a", toHave: "/upload ~/a")
    run.terminal.press(.tab)
    try await run.inputHolds("/upload ~/a folder/")
    run.terminal.press(.tab)
    try await run.inputHolds("/upload ~/a folder/notes of May.txt")
    run.terminal.press(.enter)
    try await run.shows("notes of May.txt", tick: "✓✓")
    #expect(await run.quit() == .exited(0))
  }

  /// An editor that says what it was given, waits for a key, and adds a line.
  static let editor = """
    #!/bin/sh
    printf 'EDITING %s: ' "$1"; cat "$2"
    stty -icanon; head -c 1 >/dev/null; stty icanon
    [ "$1" = fail ] && exit 3
    printf '\\nsecond line\\n' >>"$2"
    """

  func run(argument: String) async throws -> NatterRun {
    let home = try Home()
    try home.folder.write(Self.editor, to: "editor")
    let path = home.folder.path("editor")
    try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path)
    return try await NatterRun.chatting(
      home: home, environment: ["VISUAL": "'\(path)' \(argument)", "EDITOR": "false"])
  }

  @Test func `^X ^E has the draft changed in the user's own editor, on the terminal`()
    async throws
  {
    let run = try await run(argument: "calmly")
    try await run.adds("first line", toHave: "first line")
    let inside = run.screen
    run.terminal.press(.control("x"), .control("e"))
    try await run.expects("the editor") {
      !$0.isAlternate && $0.contains("EDITING calmly: first line")
    }
    #expect(run.screen.modes.subtracting([7, 25, 1]) == [])
    run.terminal.type("k")
    try await run.expects("the full screen") { $0.isAlternate }
    try await run.inputHolds("first line\nsecond line")
    #expect(run.screen.modes == inside.modes)
    #expect(run.screen.title == inside.title)
    // It is one step for undo, and nothing is left of the file.
    run.terminal.press(.control("_"))
    try await run.inputHolds("first line")
    let left = try FileManager.default.subpathsOfDirectory(atPath: run.home.folder.path(""))
      .filter { $0.contains("draft-") }
    #expect(left == [])
    #expect(await run.quit() == .exited(0))
    #expect(run.terminal.isGivenBack())
  }

  @Test func `m in the help has man show the manual on the terminal, in the language there is`()
    async throws
  {
    let home = try Home()
    try home.folder.write(
      """
      #!/bin/sh
      printf 'MANUAL %s' "$1"
      stty -icanon; head -c 1 >/dev/null; stty icanon
      """, to: "bin/man", mode: 0o700)
    let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    let run = try await NatterRun.chatting(
      home: home, environment: ["PATH": home.folder.path("bin") + ":" + path])
    run.terminal.press(.f(1))
    try await run.shows("m manual")
    run.terminal.press(.text("m"))
    try await run.expects("the manual") {
      !$0.isAlternate && $0.contains("MANUAL ") && $0.contains("natter")
    }
    run.terminal.type("q")
    try await run.expects("the help again") { $0.isAlternate && $0.contains("m manual") }
    // Half of a frame may be without it, and what is typed right behind Escape is a chord.
    _ = await run.terminal.settles()
    run.terminal.press(.escape)
    try await run.hides("m manual")
    try await run.adds("x", toHave: "x")
    #expect(await run.quit() == .exited(0))
    #expect(run.terminal.isGivenBack())
  }

  @Test(arguments: [false, true])
  func `a manual that cannot be shown is reported over the help`(hasProgram: Bool) async throws {
    let home = try Home()
    try home.folder.makeFolder("bin")
    if hasProgram { try home.folder.write("#!/bin/sh\nexit 16\n", to: "bin/man", mode: 0o700) }
    let run = try await NatterRun.chatting(
      home: home, environment: ["PATH": home.folder.path("bin")])
    run.terminal.press(.f(1))
    try await run.shows("m manual")
    run.terminal.press(.text("m"))
    try await run.shows("The manual page cannot be shown", "Close")
    run.terminal.press(.enter)
    try await run.hides("The manual page cannot be shown")
    try await run.shows("m manual")
    run.terminal.press(.escape)
    try await run.hides("m manual")
    #expect(await run.quit() == .exited(0))
  }

  @Test func `an editor that fails leaves the draft as it was, and that is reported`() async throws
  {
    let run = try await run(argument: "fail")
    try await run.adds("precious", toHave: "precious")
    run.terminal.press(.control("x"), .control("e"))
    try await run.shows("EDITING fail: precious")
    run.terminal.type("k")
    try await run.shows("fail\" ended", "with an error.")
    try await run.inputHolds("precious")
    #expect(await run.quit() == .exited(0))
  }

  @Test func `an edited text that cannot be stored stays in a file, which is named`() async throws {
    let home = try Home()
    // No file can replace a folder.
    try home.folder.write(
      """
      #!/bin/sh
      printf '# edited\\n' >>"$1"
      mkdir -p '\(home.folder.path("config/natter/keys.toml"))'
      """, to: "editor", mode: 0o700)
    let run = try await NatterRun.chatting(
      home: home, environment: ["VISUAL": "'\(home.folder.path("editor"))'"])
    run.terminal.press(.f(6))
    try await run.marks(page: "Keys")
    run.terminal.press(.enter)
    try await run.shows("In keys.toml:")
    run.terminal.press(.text("e"))
    try await run.shows("The edited text is in")
    let left = home.folder.files.filter { $0.contains("draft-") }
    #expect(left.count == 1)
    let text = home.folder.text(left.first ?? "") ?? ""
    #expect(text.hasSuffix("# edited\n"), "\(text.suffix(100))")
    #expect(await run.quit() == .exited(0))
  }

  @Test func `a missing editor is reported`() async throws {
    let run = try await NatterRun.chatting(environment: ["VISUAL": "/no/such/editor"])
    try await run.adds("precious", toHave: "precious")
    run.terminal.press(.control("x"), .control("e"))
    try await run.shows("could not be started")
    try await run.inputHolds("precious")
    #expect(await run.quit() == .exited(0))
  }
}
