import ChatsFixtures
import NatterCore
import Terminal
import TestSupport
import Testing
import ViewModels
import XMPP

@testable import Panes

/// Typed and pasted input.
extension AppCoordinatorTests {
  @Test func `typing, editing and sending`() async {
    let harness = await ShellHarness(size)
    harness.type("helo wrld")
    harness.press(
      .control("a"), Key(.right), Key(.right), Key(.right), .character("l"), .control("e"),
      .control("w"))
    harness.type("world")
    harness.press(.control("j"))
    harness.type("second")
    #expect(harness.rows[21].hasSuffix("| > hello world"))
    #expect(harness.rows[22].hasSuffix("|   second"))
    harness.press(.enter)
    await harness.settle()
    #expect(await harness.ports.calls.contains("send bob@example.net hello world\nsecond"))
    #expect(harness.rows[22].hasSuffix("| > Write a message"))
  }

  @Test
  func `keys that come at once are one frame, and each finds what those before it have opened`()
    async
  {
    let harness = await ShellHarness(size)
    let (frames, before) = (harness.screen.flushCount, harness.picture)
    harness.coordinator.display.gather {
      harness.press(.control("o"))
      #expect(harness.coordinator.openOverlays.count == 1)
      harness.press(.character("q"), .escape, .character("h"), .character("i"))
      #expect(harness.picture == before)
    }
    #expect(harness.screen.flushCount == frames + 1)
    #expect(harness.coordinator.openOverlays.isEmpty && harness.rows[22].hasSuffix("| > hi"))
  }

  @Test func `one backspace removes one character as a person sees it`() async {
    let harness = await ShellHarness(size)
    for (text, left) in [("e\u{301}", ""), ("a👨‍👩‍👧", "a"), ("🇫🇷", ""), ("👍🏽", "")] {
      for character in text { harness.press(.character(character)) }
      harness.press(Key(.backspace))
      #expect(harness.shell.input.text == left)
      harness.press(.control("u"))
    }
  }

  @Test func `what is typed has its emoji by name where they are not drawn`() async {
    let harness = await ShellHarness(size, spellsEmoji: true)
    harness.type("so 👍🏽!")
    #expect(harness.rows[22].hasSuffix("| > so :thumbs_up:!"), "\(harness.picture)")
    harness.press(Key(.left), Key(.backspace))
    #expect(harness.shell.input.text == "so !")
    #expect(harness.rows[22].hasSuffix("| > so !"))
    harness.type("❤️")
    let position = harness.screen.cursor ?? Point(row: 0, column: 0)
    #expect(harness.rows[position.row].dropFirst(position.column) == "!")
    harness.press(.enter)
    await harness.settle()
    #expect(await harness.ports.calls.contains("send bob@example.net so ❤️!"))
  }

  @Test func `a sequence that means nothing types nothing`() async {
    let harness = await ShellHarness(size)
    harness.press(.control("x"), .character("j"), .control("x"), .escape, .control("x"), .enter)
    #expect(harness.shell.input.text == "")
    harness.type("j")
    #expect(harness.shell.input.text == "j")
  }

  /// With Alt these are bound to nothing; `tabs` leads to the list, the messages and back.
  @Test(arguments: ["j", "%", "é", "你", "Q"] as [Character], 0...3)
  func `escape and a quick letter lose nothing that is typed, wherever the keys are`(
    letter: Character, tabs: Int
  ) async {
    let harness = await ShellHarness(size)
    let opened = harness.shell.activeConversation
    for _ in 0..<tabs { harness.press(Key(.tab)) }
    harness.press(.alt(letter))
    harness.type("oe")
    #expect(harness.shell.input.text == "\(letter)oe")
    #expect(harness.shell.input.isFocused)
    #expect(harness.shell.activeConversation == opened)
  }

  @Test(arguments: ["j", "a", "n"] as [Character])
  func `escape and a quick letter behind a prefix end it, and the letter is typed`(
    letter: Character
  ) async {
    let harness = await ShellHarness(size)
    let opened = harness.shell.activeConversation
    harness.press(.control("x"), .alt(letter))
    harness.type("hn")
    #expect(harness.shell.input.text == "\(letter)hn")
    #expect(harness.shell.activeConversation == opened)
  }

  @Test func `a chord that is bound is itself, and no escape with a letter`() async {
    let harness = await ShellHarness(size)
    harness.press(Key(.tab))
    #expect(harness.shell.sidebar.isFocused)
    harness.press(.alt("s"))
    #expect(harness.shell.input.text.isEmpty)
  }

  @Test func `escape and a quick slash begin a command`() async {
    let harness = await ShellHarness(size)
    harness.press(.alt("/"))
    harness.type("quit")
    #expect(harness.shell.input.text == "/quit")
  }

  @Test func `escape and a quick key close what is open, and the key is typed behind it`() async {
    let harness = await ShellHarness(size)
    let (below, above) = (Box(), Box())
    harness.coordinator.present(below)
    harness.coordinator.present(above)
    harness.press(.alt("%"))
    #expect(harness.coordinator.openOverlays.map { $0 === below } == [true])
    // The chord, as it came; then the key behind it.
    #expect(above.keys == [.alt("%"), .escape] && below.keys == [.character("%")])
    harness.press(.alt("/"))
    harness.type("quit")
    #expect(harness.coordinator.openOverlays.isEmpty)
    #expect(harness.shell.input.text == "/quit")
  }

  @Test(arguments: [Key.control("n"), Key(.function(1)), .control("q")])
  func `escape and a quick key that types nothing close what is open, and the key does its own`(
    key: Key
  ) async {
    let harness = await ShellHarness(size)
    let opened = harness.shell.activeConversation
    harness.press(.control("o"))
    #expect(harness.coordinator.openOverlays.count == 1)
    harness.press(Key(key.code, key.modifiers.union(.alt)))
    await harness.settle()
    #expect(harness.coordinator.openOverlays.isEmpty)
    switch key {
    case .control("n"): #expect(harness.shell.activeConversation != opened)
    case .control("q"): #expect(harness.done == ["quit"])
    default: #expect(harness.done == ["help"])
    }
  }

  /// With Alt these are bound, to what is not done over a window.
  @Test(arguments: ["a", "e", "s", "2"] as [Character])
  func `escape and a quick letter close what is open where the chord does nothing over it`(
    letter: Character
  ) async {
    let harness = await ShellHarness(size)
    let opened = harness.shell.activeConversation
    harness.press(.control("o"), .alt(letter))
    harness.type("bc")
    #expect(harness.coordinator.openOverlays.isEmpty)
    #expect(harness.shell.input.text == "\(letter)bc")
    #expect(harness.shell.activeConversation == opened)
  }

  @Test func `escape and a quick Enter are no two keys: nothing is sent behind what was open`()
    async
  {
    let harness = await ShellHarness(size)
    harness.type("a draft")
    harness.coordinator.present(Box())
    harness.press(Key(.enter, .alt))
    await harness.settle()
    #expect(harness.coordinator.openOverlays.count == 1 && harness.shell.input.text == "a draft")
  }

  @Test func `tab goes round the panes when there is nothing to complete`() async {
    let harness = await ShellHarness(size)
    harness.press(Key(.tab))
    #expect(harness.shell.sidebar.isFocused)
    #expect(harness.rows[1].hasPrefix(">DIRECT"))
    harness.press(Key(.tab))
    #expect(harness.shell.timeline.isFocused)
    #expect(harness.rows[1].contains("|>Bob Martin"))
    harness.press(Key(.function(7)))
    #expect(harness.shell.input.isFocused)
    harness.press(Key(.tab, .shift), .escape)
    #expect(harness.shell.input.isFocused)
  }

  @Test func `letters typed outside of the input go there`() async {
    let harness = await ShellHarness(size)
    harness.press(Key(.tab, .shift))
    harness.type("hello")
    #expect(harness.shell.input.text == "hello")
    #expect(harness.shell.input.isFocused)
  }

  @Test func `pasting several lines sends nothing`() async {
    let harness = await ShellHarness(size)
    harness.coordinator.handle(.paste("one\r\ntwo\rthree\n"))
    #expect(harness.shell.input.text == "one\ntwo\nthree")
    harness.coordinator.handle(.paste(String(repeating: "x\n", count: 40)))
    #expect(harness.rows[19].contains("Pasted 40 lines: Enter inserts, s sends, Esc discards"))
    harness.press(.escape)
    #expect(harness.shell.input.text == "one\ntwo\nthree")
    harness.coordinator.handle(.paste(String(repeating: "x\n", count: 40)))
    harness.press(.enter)
    #expect(harness.shell.input.text.hasPrefix("one\ntwo\nthreex\nx"))
    #expect(harness.rows[16].hasSuffix("42/42 lines"))
    await harness.settle()
    #expect(await !harness.ports.calls.contains { $0.hasPrefix("send") })
  }

  @Test func `a large paste is sent as one when the user says so`() async {
    let harness = await ShellHarness(size)
    harness.coordinator.handle(.paste(String(repeating: "x\n", count: 40)))
    harness.press(.character("s"))
    #expect(harness.rows[21].contains("Enter sends 40 lines as one message, Esc cancels"))
    await harness.settle()
    #expect(await !harness.ports.calls.contains { $0.hasPrefix("send") })
    harness.press(.enter)
    await harness.settle()
    #expect(harness.shell.input.text == "")
    let sent = await harness.ports.calls.filter { $0.hasPrefix("send") }
    #expect(sent.count == 1 && sent[0].split(separator: "\n").count == 40)
  }

  @Test(arguments: ["see above", "s", "yes", "ss"])
  func `what is typed on after a large paste is text behind it`(words: String) async {
    let harness = await ShellHarness(size)
    let lines = String(repeating: "x\n", count: 39) + "x"
    harness.coordinator.handle(.paste(lines + "\n"))
    harness.type(words)
    harness.press(Key(.function(1)), .control("j"))
    harness.type(".")
    #expect(harness.done == ["help"])
    await harness.settle()
    #expect(await !harness.ports.calls.contains { $0.hasPrefix("send") })
    #expect(harness.rows.joined().contains("Pasted 40 lines"))
    harness.press(.enter)
    // A single s is an answer until something else is typed; then it is a word's beginning, unless
    // a key of another kind came.
    let typed = words == "s" ? "" : words
    #expect(harness.shell.input.text == lines + typed + "\n.")
    await harness.settle()
    #expect(await !harness.ports.calls.contains { $0.hasPrefix("send") })
  }

  @Test
  func `a request to send a large paste is taken back, and does not outlast a look elsewhere`()
    async
  {
    let harness = await ShellHarness(size)
    harness.coordinator.handle(.paste(String(repeating: "x\n", count: 40)))
    for key in [Key.escape, .control("g"), Key(.backspace)] {
      harness.press(.character("s"), key)
      #expect(harness.picture.contains("Pasted 40 lines"))
    }
    harness.press(.character("s"), .alt("2"))
    #expect(!harness.picture.contains("40 lines"))
    harness.press(.alt("1"))
    #expect(harness.picture.contains("Pasted 40 lines"))
    harness.press(.enter)
    #expect(harness.shell.input.text == String(repeating: "x\n", count: 39) + "x")
    await harness.settle()
    #expect(await !harness.ports.calls.contains { $0.hasPrefix("send") })
  }

  @Test func `an error of a command is shown above the input, and the line stays`() async {
    let harness = await ShellHarness(Size(rows: 15, columns: 40))
    harness.press(.enter)
    harness.type("/hepl")
    harness.press(.enter)
    #expect(harness.rows[12] == " Unknown command /hepl. Did you mean")
    #expect(harness.rows[13] == " /help? Enter runs it")
    #expect(harness.rows[14] == "> /hepl")
    harness.press(.escape)
    #expect(harness.rows[1] == " DIRECT")
    #expect(!harness.picture.contains("Unknown"))
    harness.press(.escape)
    #expect(harness.rows[14] == "> /hepl")
  }
}
