import ChatsFixtures
import Keys
import TOML
import Terminal
import TestSupport
import Testing
import Text
import ViewModels

@testable import Panes

@Suite struct KeyBindingTableTests {
  let table = KeyBindingTable.natter

  @Test func `the default keymap has no key twice and none that terminals cannot send`() {
    #expect(table.problems.filter { $0.kind != .onlySometimes } == [])
  }

  @Test func `every alt chord has its twin after ctrl-x`() {
    for binding in table.bindings {
      for sequence in binding.sequences where sequence.count == 1 {
        guard sequence[0].modifiers == .alt, case .character(let letter) = sequence[0].code else {
          continue
        }
        let context: KeyBinding.Context = binding.context == .editing ? .input : .everywhere
        // `^X f` finds.
        let meant = binding.action == .forwardWord ? .find : binding.action
        #expect(
          table.match([.control("x"), .character(letter)], in: context) == .action(meant))
      }
    }
  }

  @Test func `every action is bound, described, and can be done without alt`() {
    let english = english()
    let presets = [table, .emacs, .slack, table.enteringLines]
    let bound = Set(presets.flatMap(\.bindings).map(\.action))
    for binding in presets.flatMap(\.bindings) {
      #expect(english(binding.descriptionKey) != binding.descriptionKey)
    }
    // Only who has a sixth tab has a key for it.
    for action in KeyAction.allCases where action != .tab6 {
      #expect(bound.contains(action), "\(action)")
    }
    for binding in table.bindings {
      if binding.isHinted { #expect(english(binding.hintKey) != binding.hintKey) }
      #expect(binding.sequences.contains { $0.allSatisfy { !$0.modifiers.contains(.alt) } })
    }
  }

  @Test func `reserved chords are bound to nothing`() {
    for key in [
      Key.control("s"), .control("v"), .control("\\"), .control("]"), .control(" "), .alt("["),
      .alt("o"), Key(.function(10)), Key(.function(11)), Key(.function(12)),
    ] {
      for context in KeyBinding.Context.allCases {
        #expect(table.match([key], in: context) == .none)
      }
    }
  }

  @Test func `a context's own binding comes before the one for everywhere`() {
    #expect(table.match([Key(.tab)], in: .input) == .action(.complete))
    #expect(table.match([Key(.tab)], in: .list) == .action(.nextPane))
    #expect(table.match([.control("x")], in: .input) == .prefix)
    #expect(table.match([.character("j")], in: .input) == .none)
    #expect(table.match([.alt("A")], in: .input) == .action(.nextUnread))
  }

  @Test(arguments: [
    ([Key.control("o")], "^O"), ([.alt("a")], "Alt+A"), ([Key(.pageUp)], "PgUp"),
    ([.control("x"), .character("?")], "^X ?"), ([Key(.tab, .shift)], "Shift+Tab"),
    ([Key(.function(1))], "F1"), ([Key(.down, .alt)], "Alt+Down"), ([.character(" ")], "Space"),
  ])
  func `keys are spelled as help shows them`(_ keys: [Key], _ spelling: String) {
    #expect(KeySpelling(localizer: english())(keys) == spelling)
  }
}

@Suite struct KeyPresetTests {
  @Test(arguments: ["emacs", "slack"], [false, true])
  func `no preset has a key twice, nor one that terminals cannot send`(
    name: String, entersLines: Bool
  ) {
    let preset = name == "emacs" ? KeyBindingTable.emacs : .slack
    let table = entersLines ? preset.enteringLines : preset
    #expect(table.problems.filter { $0.kind != .onlySometimes } == [])
  }

  @Test func `where Enter begins a line, three keys send, and the hints show the first`() async {
    let harness = await ShellHarness(Size(rows: 24, columns: 120))
    harness.coordinator.use(KeyBindingTable.natter.enteringLines)
    #expect(harness.rows[23].contains("Alt+Enter Send") && harness.rows[23].contains("^J New line"))
    for keys in [[Key(.enter, .alt)], [Key(.enter, .control)], [.control("x"), .enter]] {
      harness.type("one")
      harness.press(.enter)
      harness.type("two")
      #expect(harness.shell.input.text == "one\ntwo")
      for key in keys { harness.press(key) }
      #expect(harness.shell.input.text == "")
    }
    await harness.shell.finish()
    let sent = await harness.ports.calls.filter { $0.hasPrefix("send") }
    #expect(sent.count == 3 && Set(sent) == ["send bob@example.net one\ntwo"])
  }

  @Test func `where Enter begins a line, it runs a command all the same`() async {
    let harness = await ShellHarness(Size(rows: 24, columns: 80))
    harness.coordinator.use(KeyBindingTable.natter.enteringLines)
    harness.press(.enter)
    #expect(harness.shell.input.text == "")
    harness.type("/redraw")
    harness.press(.enter)
    #expect(harness.done == ["redraw"])
    // What is said of a wrong one is answered by Enter, too.
    harness.type("/redrwa")
    harness.press(.enter, .enter)
    #expect(harness.done == ["redraw", "redraw"])
    // A doubled slash is text, and what has two lines already may have three.
    harness.type("//usr")
    harness.press(.enter)
    #expect(harness.shell.input.text == "//usr\n")
    harness.press(.control("u"), Key(.backspace), .control("u"))
    harness.type("/me one")
    harness.press(.control("j"), .enter)
    #expect(harness.shell.input.text == "/me one\n\n")
  }

  @Test func `vi has the same keys, those first that are no Alt chord`() {
    let (table, natter) = (KeyBindingTable.vi, KeyBindingTable.natter)
    #expect(table.problems.filter { $0.kind != .onlySometimes } == [])
    for (own, other) in zip(table.bindings, natter.bindings) {
      #expect(own.action == other.action && Set(own.sequences) == Set(other.sequences))
    }
    let hide = table.bindings.first { $0.action == .hideConversation }
    #expect(hide?.sequences.first == [.control("x"), .character("w")])
  }

  @Test func `with vi's keys Enter begins a line among text, and sends among commands`() async {
    let harness = await ShellHarness(Size(rows: 24, columns: 80))
    harness.coordinator.use(KeyBindingTable.natter.enteringLines)
    harness.coordinator.desktop?.chats.usesVi = true
    harness.type("one")
    harness.press(.enter)
    harness.type("two")
    #expect(harness.shell.input.text == "one\ntwo")
    harness.press(.escape, .enter)
    #expect(harness.shell.input.text == "")
    await harness.shell.finish()
    #expect(
      await harness.ports.calls.last { $0.hasPrefix("send") } == "send bob@example.net one\ntwo")
  }

  @Test func `emacs has readline's keys in the input, and the program's behind ctrl-x`() {
    let table = KeyBindingTable.emacs
    for (key, action) in [
      (Key.control("f"), KeyAction.forwardCharacter), (.control("n"), .historyNewer),
      (.control("p"), .historyOlder), (.control("o"), .sendAndNext), (.alt("l"), .lowerWord),
      (.alt("u"), .upperWord), (.alt("t"), .transposeWords), (.alt("r"), .revertLine),
    ] {
      #expect(table.match([key], in: .input) == .action(action))
    }
    for (letter, action) in [
      ("f" as Character, KeyAction.find), ("l", .plainView), ("u", .pickFiles),
      ("t", .toggleTheme), ("r", .replyMessage), ("x", .palette),
    ] {
      #expect(table.match([.control("x"), .character(letter)], in: .input) == .action(action))
    }
    // Where nothing is typed they are the program's.
    #expect(table.match([.control("n")], in: .messages) == .action(.nextConversation))
    #expect(table.match([.control("o")], in: .list) == .action(.palette))
  }

  @Test func `slack goes to anything with ctrl-k, and shows it`() {
    let table = KeyBindingTable.slack
    #expect(table.match([.control("k")], in: .input) == .action(.palette))
    #expect(table.match([.control("o")], in: .input) == .action(.palette))
    #expect(table.bindings.first { $0.action == .palette }?.sequences.first == [.control("k")])
  }

  @Test func `a key file adds to a preset and takes from it`() {
    let (table, problems, isWhole) = KeyBindingTable.emacs.applying(
      "[input]\n\"^F\" = \"\"\n\"Alt+Y\" = \"upperWord\"\n", file: "keys.toml")
    #expect(problems == [] && isWhole)
    #expect(table.match([.control("f")], in: .input) == .action(.find))
    #expect(table.match([.alt("y")], in: .input) == .action(.upperWord))
    #expect(table.match([.alt("l")], in: .input) == .action(.lowerWord))
  }

  @Test func `other keys hold at once, and the hints show them`() async {
    let harness = await ShellHarness(Size(rows: 24, columns: 120))
    #expect(harness.rows[23].contains("^O Go to") && harness.rows[23].contains("^N/^P Chat"))
    harness.coordinator.use(.emacs)
    #expect(harness.rows[23].contains("Alt+X Go to"))
    #expect(harness.rows[23].contains("Alt+Down/Alt+Up Chat"))
    harness.type("one two")
    harness.press(.alt("t"), .control("a"), .alt("u"), .control("f"))
    harness.type("x")
    #expect(harness.shell.input.text == "TWO xone")
    harness.press(.alt("b"), .alt("l"), .alt("r"))
    #expect(harness.shell.input.text == "")
    harness.press(.control("n"))
    #expect(harness.shell.activeConversation == .bob)
    harness.press(.control("x"), .character("t"))
    #expect(harness.done == ["theme"])
    harness.coordinator.use(.slack)
    #expect(harness.rows[23].contains("^K Go to"))
    harness.press(.control("k"))
    #expect(harness.picture.contains("Go to or run"))
  }

  @Test func `what was typed is sent line after line, what is refused stays`() async {
    let harness = await ShellHarness(Size(rows: 24, columns: 80))
    harness.coordinator.use(.emacs)
    for line in ["/redraw", "/help", "/nonsense"] {
      harness.type(line)
      harness.press(.enter)
    }
    harness.press(.control("u"), .control("p"), .control("p"), .control("o"))
    #expect(harness.done == ["redraw", "help", "redraw"])
    #expect(harness.shell.input.text == "/help")
    harness.press(.control("o"))
    #expect(harness.done == ["redraw", "help", "redraw", "help"])
    harness.press(.control("u"))
    harness.type("/nonsense")
    harness.press(.control("o"))
    #expect(harness.shell.input.text == "/nonsense")
  }
}

@Suite struct KeyFileTests {
  private func apply(_ text: String) -> (
    table: KeyBindingTable, problems: [String], isWhole: Bool
  ) {
    let (table, problems, isWhole) = KeyBindingTable.natter.applying(text, file: "keys.toml")
    let english = english()
    return (table, problems.map { $0.text { english($0, $1) } }, isWhole)
  }

  @Test func `keys are added, moved and taken away`() {
    let (table, problems, isWhole) = apply(
      """
      [everywhere]
      "^K" = "palette"
      "^X j d" = "toggleTheme"
      "Alt+Y" = "redraw"
      "Alt+W" = ""

      [list]
      "d" = "remove"
      """)
    #expect(problems == [] && isWhole)
    #expect(table.match([.control("k")], in: .input) == .action(.palette))
    #expect(table.match([.control("o")], in: .input) == .action(.palette))
    #expect(table.match([.control("x"), .character("j")], in: .input) == .prefix)
    #expect(table.match([.alt("w")], in: .input) == .none)
    #expect(table.match([.character("d")], in: .list) == .action(.remove))
    #expect(table.match([.control("l")], in: .input) == .action(.redraw))
    // The hint bar still shows the common key.
    #expect(table.bindings.first { $0.action == .palette }?.sequences.first == [.control("o")])
  }

  @Test func `a mistake is reported with its line, and the rest is used`() {
    let (table, problems, isWhole) = apply(
      """
      [everywhere]
      "^K" = "pallete"
      "Hyper+K" = "quit"
      "^S" = "quit"
      "^Y" = "redraw"
      [nowhere]
      "a" = "quit"
      """)
    #expect(
      problems.map { String($0.prefix(12)) } == [
        "keys.toml:2:", "keys.toml:3:", "keys.toml:4:", "keys.toml:6:",
      ])
    #expect(problems[0].contains("palette") && !isWhole)
    #expect(table.match([.control("y")], in: .everywhere) == .action(.redraw))
    #expect(apply("").table == .natter)
  }

  @Test func `keys of the text are bound, and taken away where text is typed`() async {
    let (table, problems, isWhole) = apply(
      """
      [input]
      "^W" = ""
      "^A" = "undo"
      [editing]
      "^Y" = ""
      "Home" = ""
      "^X v" = "yank"
      """)
    #expect(problems == [] && isWhole)
    #expect(table.match([.control("w")], in: .input) == .none)
    #expect(table.match([.control("a")], in: .input) == .action(.undo))
    let help = HelpPages.editing(table, localizer: english()).sections[0].entries
    #expect(!help.contains { $0.term.contains("^W") || $0.term.contains("^Y") })
    #expect(help.first { $0.text == english()("key.yank") }?.term == "^X v")
    let harness = await ShellHarness(Size(rows: 24, columns: 80))
    harness.coordinator.use(table)
    harness.type("one two")
    harness.press(.control("w"), .control("u"), .control("y"))
    #expect(harness.shell.input.text == "")
    harness.press(.control("x"), .character("v"))
    #expect(harness.shell.input.text == "one two")
    harness.press(.control("a"))
    #expect(harness.shell.input.text == "")
    // In the line of an overlay, too; what only the input line has is not there.
    harness.press(.control("o"))
    harness.type("one two")
    harness.press(.control("w"))
    #expect(harness.picture.contains("> one two"))
    harness.press(.control("a"))
    harness.type("x")
    #expect(harness.picture.contains("> xone two"))
  }

  @Test func `what the text has comes after what is bound everywhere`() {
    let table = apply("[everywhere]\n\"^W\" = \"hideConversation\"\n").table
    #expect(table.match([.control("w")], in: .input) == .action(.hideConversation))
    #expect(KeyBindingTable.natter.match([.control("w")], in: .list) == .none)
  }

  @Test func `Home and End are the text's, unless the input line has them`() async {
    let harness = await ShellHarness(Size(rows: 24, columns: 80))
    harness.type("one")
    harness.press(Key(.home))
    harness.type("x")
    #expect(harness.shell.input.text == "xone")
    harness.press(Key(.end))
    harness.coordinator.use(apply("[input]\n\"Home\" = \"cutToLineStart\"\n").table)
    harness.press(Key(.home))
    #expect(harness.shell.input.text == "")
  }

  @Test func `a cursor key with Shift is the one without, unless it is bound itself`() async {
    let harness = await ShellHarness(Size(rows: 24, columns: 80))
    harness.press(.control("o"))
    harness.type("one")
    harness.press(Key(.left, .shift))
    harness.type("x")
    #expect(harness.picture.contains("> onxe"))
    harness.coordinator.use(apply("[editing]\n\"Shift+Left\" = \"lineStart\"\n").table)
    harness.press(Key(.left, .shift))
    harness.type("y")
    #expect(harness.picture.contains("> yonxe"))
  }

  @Test func `a chord that was taken away from the text closes nothing`() async {
    let harness = await ShellHarness(Size(rows: 24, columns: 80))
    harness.coordinator.use(apply("[editing]\n\"Alt+D\" = \"\"\n").table)
    harness.press(.control("o"))
    harness.type("one")
    harness.press(.alt("d"))
    #expect(harness.picture.contains("> one") && harness.shell.input.text == "")
  }

  @Test func `vi's last change is done again by the keys of the input line`() async {
    let harness = await ShellHarness(Size(rows: 24, columns: 80))
    harness.coordinator.use(apply("[input]\n\"^A\" = \"cutToBlank\"\n").table)
    harness.coordinator.desktop?.chats.usesVi = true
    harness.type("one")
    harness.press(.escape)
    harness.type("A t")
    harness.press(.control("a"))
    harness.type("x")
    harness.press(.escape)
    #expect(harness.shell.input.text == "one x")
    harness.type(".")
    #expect(harness.shell.input.text == "one x x")
  }

  @Test func `the printed keys change nothing, with and without their comment marks`() {
    let text = KeyBindingTable.natter.commentedFile(english())
    #expect(apply(text).table == .natter)
    let plain = text.split(separator: "\n", omittingEmptySubsequences: false).map {
      $0.hasPrefix("#\"") ? String($0.dropFirst()) : String($0)
    }.joined(separator: "\n")
    let (table, problems, _) = apply(plain)
    #expect(problems.filter { !$0.contains("not every terminal") } == [])
    #expect(table.bindings == KeyBindingTable.natter.bindings)
  }
}
