import Keys
import TOML
import TestSupport
import Testing

@testable import Terminal

@Suite struct KeySequenceTests {
  @Test(arguments: [
    ("^O", "^O"), ("C-o", "^O"), ("Ctrl+O", "^O"), ("^X ?", "^X ?"), ("C-x b", "^X b"),
    ("Alt+A", "Alt+A"), ("M-a", "Alt+A"), ("Alt+Shift+A", "Alt+Shift+A"), ("alt+1", "Alt+1"),
    ("PgUp", "PgUp"), ("pageup", "PgUp"), ("f1", "F1"), ("F12", "F12"), ("Shift+Tab", "Shift+Tab"),
    ("Esc", "Esc"), ("^_", "^_"), ("Ctrl+/", "^_"), ("Ctrl+I", "Tab"), ("^M", "Enter"),
    ("^[", "Esc"), ("^H", "Backspace"), ("^?", "Backspace"), ("^X ^E", "^X ^E"),
    ("Ctrl+Up", "Ctrl+Up"),
    ("Alt+Backspace", "Alt+Backspace"), ("^", "^"), ("+", "+"), ("Alt++", "Alt++"),
    ("Space", "Space"),
    ("^@", "Ctrl+Space"), ("<", "<"), ("Alt+Enter", "Alt+Enter"), ("A", "A"), ("é", "é"),
    ("Ctrl+Alt+A", "Ctrl+Alt+A"), ("^X   <", "^X <"),
  ]) func `spellings`(spelling: String, printed: String) throws {
    let sequence = try #require(KeySequence(spelling))
    #expect(sequence.description == printed)
    #expect(KeySequence(printed) == sequence)
  }

  @Test(arguments: ["", "  ", "Foo", "Ctrl+", "F99", "^OO", "Alt+Foo", "F0"])
  func `what is no key`(spelling: String) {
    #expect(KeySequence(spelling) == nil)
  }

  @Test func `spelled keys are those the decoder delivers`() {
    #expect(KeySequence("Alt+A")?.keys == [.alt("a")])
    #expect(KeySequence("Alt+Shift+A")?.keys == [.alt("A")])
    #expect(KeySequence("^X ?")?.keys == [.control("x"), .character("?")])
    #expect(KeySequence("Shift+Tab")?.keys == [Key(.tab, .shift)])
  }

  @Test(arguments: [
    "Ctrl+1", "Ctrl+,", "Ctrl+Shift+A", "Ctrl+Tab", "Alt+[", "Alt+O", "Alt+Shift+O", "Alt+F1",
    "Shift+F2",
    "F10", "F12", "^S", "^V", "^]", "Ctrl+Space", "Shift+PgUp", "Ctrl+Esc",
  ]) func `chords that cannot be sent`(spelling: String) throws {
    guard case .never(let reason) = try #require(Key(spelling: spelling)).reach else {
      Issue.record("\(spelling) passes as sendable")
      return
    }
    #expect(reason.hasPrefix("mistake.reach.") && localeText(reason) != reason)
  }

  @Test func `chords that all and that some can send`() {
    for spelling in ["^O", "F1", "PgUp", "Tab", "a", "^_", "Enter", "Alt+Backspace"] {
      #expect(Key(spelling: spelling)?.reach == .everywhere, "\(spelling)")
    }
    for spelling in ["Alt+A", "Ctrl+Up", "Shift+Tab", "Alt+Enter", "Ctrl+PgUp"] {
      #expect(Key(spelling: spelling)?.reach == .sometimes, "\(spelling)")
    }
  }
}

@Suite struct KeymapTests {
  private func keymap(_ bindings: [(String, String, String)]) -> Keymap {
    var keymap = Keymap()
    for (keys, command, context) in bindings {
      if let sequence = KeySequence(keys) { keymap.bind(sequence, to: command, in: context) }
    }
    return keymap
  }

  private func keys(_ spelling: String) -> [Key] { KeySequence(spelling)?.keys ?? [] }

  @Test func `the innermost context decides`() {
    let keymap = keymap([
      ("^N", "next", "everywhere"), ("^N", "older", "find"), ("^X r", "reply", "input"),
    ])
    #expect(keymap.lookup(keys("^N"), in: ["find", "everywhere"]) == .command("older"))
    #expect(keymap.lookup(keys("^N"), in: ["input", "everywhere"]) == .command("next"))
    #expect(keymap.lookup(keys("^X"), in: ["input", "everywhere"]) == .prefix)
    #expect(keymap.lookup(keys("^X"), in: ["everywhere"]) == .none)
    #expect(keymap.lookup(keys("^X r"), in: ["input"]) == .command("reply"))
    #expect(keymap.lookup(keys("^X q"), in: ["input"]) == .none)
    #expect(keymap.lookup(keys("z"), in: ["input"]) == .none)
  }

  @Test func `an Alt chord has a twin behind ^X, also with Caps Lock`() {
    let keymap = keymap([("Alt+A", "unread", "everywhere"), ("Alt+Down", "next", "everywhere")])
    #expect(keymap.lookup(keys("^X a"), in: ["everywhere"]) == .command("unread"))
    #expect(keymap.lookup([.alt("A")], in: ["everywhere"]) == .command("unread"))
    #expect(
      keymap.sequences(for: "unread", in: ["everywhere"]).map(\.description) == ["Alt+A", "^X a"])
    #expect(keymap.sequences(for: "next", in: ["everywhere"]).map(\.description) == ["Alt+Down"])
    #expect(
      keymap.continuations(of: keys("^X"), in: ["everywhere"]).map(\.keys.description) == ["a"])
  }

  @Test func `a binding made by hand beats a twin`() {
    let keymap = keymap([
      ("^X a", "all", "everywhere"), ("Alt+A", "unread", "everywhere"),
      ("Alt+B", "back", "everywhere"),
      ("^X b", "bold", "everywhere"),
    ])
    #expect(keymap.lookup(keys("^X a"), in: ["everywhere"]) == .command("all"))
    #expect(keymap.lookup(keys("^X b"), in: ["everywhere"]) == .command("bold"))
  }

  @Test func `unbinding removes the twin too`() {
    var keymap = keymap([("Alt+A", "unread", "everywhere"), ("^X z", "zoom", "everywhere")])
    keymap.unbind(KeySequence(.alt("a")), in: "everywhere")
    #expect(keymap.lookup(keys("^X a"), in: ["everywhere"]) == .none)
    #expect(keymap.lookup(keys("^X"), in: ["everywhere"]) == .prefix)
    #expect(keymap.bindings.count == 1)
  }

  @Test func `duplicates, unsendable chords, hidden sequences and shaky commands are found`() {
    let keymap = keymap([
      ("^O", "one", "everywhere"), ("^O", "two", "everywhere"), ("^S", "save", "everywhere"),
      ("^X", "cut", "everywhere"), ("Alt+A", "unread", "everywhere"),
      ("Ctrl+Up", "up", "everywhere"),
    ])
    let texts = keymap.problems().map { $0.sentence.text { localeText($0, $1) } }
    #expect(texts.count == 4)
    #expect(texts.contains { $0.contains("bound twice") && $0.contains("one") })
    #expect(texts.contains { $0.contains("^S cannot be used") })
    #expect(texts.contains { $0.contains("^X has an action, but") })
    #expect(texts.contains { $0.contains("only key of up") })
  }

  @Test func `a file changes bindings and its errors have lines`() {
    var keymap = keymap([("^O", "palette", "everywhere"), ("^F", "find", "everywhere")])
    let (errors, warnings) = KeymapFile.apply(
      """
      stray = "x"
      [everywhere]
      "^O" = "find"
      "^F" = ""
      "Ctrl+Hyper+X" = "find"
      "^P" = "palete"
      "^S" = "palette"
      "^E" = 3
      [evrywhere]
      """,
      to: &keymap, commands: ["palette", "find"], contexts: ["everywhere", "input"])
    #expect(errors.map(\.line) == [1, 5, 6, 7, 8, 9] && warnings.isEmpty)
    let reported = errors.map { $0.problem(in: "keys.toml").text { localeText($0, $1) } }
    #expect(reported[2].contains("\"^P\": there is no action \"palete\""))
    #expect(reported[2].contains("Did you mean \"palette\"?"))
    #expect(
      reported[3]
        == "keys.toml:7: ^S cannot be used: serial lines stop at ^S.")
    for tag in ["fr", "zh-Hans"] {
      let other = errors.map { $0.problem(in: "keys.toml").text { localeText($0, $1, in: tag) } }
      #expect(zip(reported, other).allSatisfy { $0 != $1 && !$1.contains("mistake.") }, "\(other)")
    }
    #expect(keymap.lookup(keys("^O"), in: ["everywhere"]) == .command("find"))
    #expect(keymap.lookup(keys("^F"), in: ["everywhere"]) == .none)
  }

  @Test func `what only some terminals can send is a warning, and the file is used whole`() {
    var keymap = keymap([("^O", "palette", "everywhere")])
    let (problems, isWhole) = KeymapFile.apply(
      "[everywhere]\n\"Ctrl+Up\" = \"find\"\n", of: "keys.toml", to: &keymap,
      commands: ["palette", "find"], contexts: ["everywhere"])
    #expect(isWhole && problems.map(\.line) == [2])
    #expect(problems[0].text { localeText($0, $1) }.contains("not every terminal"))
    #expect(keymap.lookup(keys("Ctrl+Up"), in: ["everywhere"]) == .command("find"))
  }

  @Test(arguments: [("g", "list"), ("^X x", "everywhere")])
  func `a chord behind a built-in command is reported, unless the file takes that away`(
    shorter: String, context: String
  ) {
    func applied(_ lines: String) -> (texts: [String], keymap: Keymap) {
      var keymap = keymap([
        ("g", "first", "list"), ("^X x", "palette", "everywhere"), ("^X q", "quit", "everywhere"),
      ])
      let (problems, _) = KeymapFile.apply(
        "[\(context)]\n\(lines)", of: "keys.toml", to: &keymap,
        commands: ["first", "palette", "quit"], contexts: ["everywhere", "list"])
      return (problems.map { $0.text { localeText($0, $1) } }, keymap)
    }
    let chord = "\"\(shorter) z\" = \"quit\"\n"
    let texts = applied(chord).texts
    #expect(texts.count == 1)
    #expect(texts.first?.hasPrefix("keys.toml:2: \(shorter) z is never reached: ") == true)
    for lines in [chord + "\"\(shorter)\" = \"\"", "\"\(shorter)\" = \"\"\n" + chord] {
      let (texts, keymap) = applied(lines)
      #expect(texts.isEmpty)
      #expect(keymap.lookup(keys(shorter), in: [context]) == .prefix)
      #expect(keymap.lookup(keys("\(shorter) z"), in: [context]) == .command("quit"))
    }
  }

  @Test
  func `a line that hides chords that are built in, or others of the file, is itself reported`() {
    var keymap = keymap([("^X q", "quit", "everywhere")])
    let (errors, _) = KeymapFile.apply(
      "[everywhere]\n\"^X\" = \"help\"\n\"^X r\" = \"quit\"", to: &keymap,
      commands: ["quit", "help"], contexts: ["everywhere"])
    #expect(errors.map(\.line) == [2])
    let text = errors.first?.problem(in: "keys.toml").text { localeText($0, $1) }
    #expect(text?.contains("^X has an action, but") == true)
  }

  @Test func `a chord behind the twin of a line is reported, too`() {
    var keymap = Keymap()
    let (errors, _) = KeymapFile.apply(
      "[everywhere]\n\"Alt+J\" = \"quit\"\n\"^X j j\" = \"help\"\n\"F1\" = \"quit\"",
      to: &keymap, commands: ["quit", "help"], contexts: ["everywhere"])
    #expect(errors.map(\.line) == [3])
  }
}
