import ChatsFixtures
import NatterCore
import Terminal
import TestSupport
import Testing
import ViewModels
import XMPP

@testable import Panes

@Suite struct AppCoordinatorTests {
  let size = Size(rows: 24, columns: 80)

  /// An overlay that takes letters and closes at Enter.
  final class Box: @MainActor OverlayPane {
    let invalidation = Invalidation()
    var isDismissed = false
    var hidesOthers = false
    var keys: [Key] = []
    var pasted = ""
    var clicks: [Point] = []
    func draw(into surface: inout Surface) { surface.write("box", row: 0, column: 0) }
    func preferredSize(in size: Size) -> Size { Size(rows: 2, columns: 10) }
    func dismiss() { isDismissed = true }
    func handle(_ key: Key) -> KeyDisposition {
      keys.append(key)
      if key == .enter { isDismissed = true }
      if case .character = key.code, key.modifiers.isEmpty { return .handled }
      return key == .enter ? .handled : .ignored
    }
    func handlePaste(_ text: String) -> KeyDisposition {
      pasted += text
      return .handled
    }
    func handle(_ mouse: MouseEvent) -> KeyDisposition {
      clicks.append(mouse.at)
      return .handled
    }
  }

  @Test func `where the guide has keys tried out, the one that quits does so the second time`()
    async
  {
    let harness = await ShellHarness(size)
    harness.coordinator.present(guidePane(page: 1))
    harness.press(.control("q"))
    #expect(harness.done.isEmpty && harness.picture.contains("[x] ^Q"))
    harness.press(.control("q"))
    #expect(harness.done == ["quit"])
    harness.press(Key(.right), .control("q"))
    #expect(harness.done == ["quit", "quit"])
  }

  @Test func `where there is no room for it, the guide has nothing tried out: what quits, quits`()
    async
  {
    let harness = await ShellHarness(size)
    harness.coordinator.present(guidePane(page: 1))
    harness.screen.resize(to: Size(rows: 5, columns: 20))
    harness.coordinator.screenDidResize()
    harness.press(.control("q"))
    #expect(harness.done == ["quit"])
  }

  @Test func `help is asked for over a dialog, but not over the help`() async {
    let harness = await ShellHarness(size)
    let dialog = DialogPane(
      viewModel: DialogViewModel(
        Dialog(
          title: "Not connected", level: .error, lines: [.text("why")],
          buttons: [.init("hide", "Hide")]), onPress: { _ in }, onCancel: {}), glyphs: .ascii,
      localizer: english())
    harness.coordinator.present(dialog)
    harness.press(Key(.function(1)))
    #expect(harness.done == ["help"])
    let help = HelpPane(
      viewModel: HelpViewModel(
        pages: HelpPages.pages(
          bindings: .natter, context: .everywhere, commands: [], localizer: english(), other: []),
        localizer: english(), topic: ""), glyphs: .ascii)
    harness.coordinator.present(help)
    #expect(harness.picture.contains("Help: "))
    // In the help's own search, too.
    harness.press(.character("/"), Key(.function(1)))
    #expect(harness.done == ["help"])
    harness.press(Key(.escape), Key(.escape))
    #expect(harness.coordinator.openOverlays.map { $0 === dialog } == [true])
    #expect(harness.picture.contains("Not connected"))
    harness.press(.enter)
    #expect(harness.coordinator.openOverlays.isEmpty)
  }

  @Test func `without the sidebar in the settings the conversation has all columns`() async {
    let harness = await ShellHarness(size, showsSidebar: false)
    #expect(!harness.rows[1].contains("DIRECT"))
    #expect(harness.rows[22].hasPrefix(" > Write a message"))
    harness.press(.alt("s"))
    #expect(harness.rows[1].contains("DIRECT"))
    harness.press(.alt("s"))
    #expect(!harness.rows[1].contains("DIRECT"))
    // Another size class forgets the choice, not the setting.
    harness.press(.alt("s"))
    harness.screen.resize(to: Size(rows: 30, columns: 120))
    harness.coordinator.screenDidResize()
    #expect(!harness.rows[1].contains("DIRECT"))
  }

  @Test(arguments: [80, 40])
  func `without the clock in the settings there is none`(columns: Int) async {
    let with = await ShellHarness(Size(rows: 24, columns: columns))
    #expect(with.rows[0].hasSuffix("14:02"))
    let without = await ShellHarness(Size(rows: 24, columns: columns), showsClock: false)
    #expect(without.rows[0].hasSuffix("online"))
  }

  @Test func `at midnight the clock and the day lines change while it runs`() async {
    let harness = await ShellHarness(size)
    let beat = MinuteBeat(scheduler: harness.timers.scheduler) { harness.now.date }
    beat.start { harness.coordinator.minutePassed() }
    harness.now.date = .minutes(10 * 60 - 1)
    harness.handle(
      .messagesStored([message(20, "before midnight", at: 10 * 60 - 1)]))
    harness.timers.fire()
    await harness.settle()
    #expect(harness.rows[0].hasSuffix("23:59"))
    harness.now.date = .minutes(10 * 60)
    harness.timers.fire()
    await harness.settle()
    #expect(harness.rows[0].hasSuffix("00:00"))
    harness.handle(.messagesStored([message(21, "after midnight", at: 10 * 60)]))
    await harness.settle()
    let before = harness.rows.firstIndex { $0.contains("before midnight") } ?? -1
    let line = harness.rows.firstIndex { $0.contains("21 November") } ?? -1
    let after = harness.rows.firstIndex { $0.contains("after midnight") } ?? -1
    #expect(before >= 0 && before < line && line < after, "\(harness.picture)")
  }

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

  @Test func `one backspace removes one character as a person sees it`() async {
    let harness = await ShellHarness(size)
    for (text, left) in [("e\u{301}", ""), ("a👨‍👩‍👧", "a"), ("🇫🇷", ""), ("👍🏽", "")] {
      for character in text { harness.press(.character(character)) }
      harness.press(Key(.backspace))
      #expect(harness.shell.input.text == left)
      harness.press(.control("u"))
    }
  }

  @Test func `page keys scroll while the input keeps text and focus`() async {
    let ports = FakePorts(
      messages: (1...200).map { message(Int64($0), "message \($0)", at: Double($0)) },
      conversations: [Conversation(jid: .bob, lastActivity: .minutes(200))])
    let harness = await ShellHarness(size, ports: ports)
    harness.type("half a")
    let before = harness.picture
    harness.press(Key(.pageUp))
    #expect(harness.picture != before)
    #expect(harness.rows[22].hasSuffix("> half a"))
    let held = Array(harness.rows[3...20])
    harness.handle(.messagesStored([message(201, "fresh", at: 201)]))
    #expect(Array(harness.rows[3...20]) == held)
    #expect(harness.rows[21].hasSuffix("1 below: End"))
    harness.press(.control("x"), .character(">"))
    #expect(harness.rows[20].contains("fresh"))
    #expect(!harness.picture.contains("below"))
    for _ in 0..<40 {
      harness.press(Key(.pageUp))
      await harness.settle()
    }
    #expect(harness.picture.contains("This is the beginning."))
    #expect(harness.picture.contains("message 1\n"))
    for _ in 0..<40 { harness.press(Key(.pageDown)) }
    #expect(harness.rows[20].contains("fresh"))
  }

  @Test func `scrolling by lines shows every row once, up and down`() async {
    let ports = FakePorts(
      messages: (1...50).map {
        message(
          Int64($0), "\($0) " + String(repeating: "word ", count: Int($0 % 7) * 9), at: Double($0))
      }, conversations: [Conversation(jid: .bob, lastActivity: .minutes(50))])
    let harness = await ShellHarness(size, ports: ports)
    harness.press(Key(.tab, .shift))
    let bottom = Array(harness.rows[3...20])
    for _ in 0..<40 { harness.press(.character("K")) }
    let up = Array(harness.rows[3...20])
    #expect(up != bottom)
    harness.press(.character("J"))
    #expect(Array(harness.rows[3...19]) == Array(up[1...]))
    for _ in 0..<39 { harness.press(.character("J")) }
    #expect(Array(harness.rows[3...20]) == bottom)
    #expect(harness.shell.timeline.anchor == nil)
  }

  @Test func `a resize keeps the message at the top, and back again is the same picture`() async {
    let ports = FakePorts(
      messages: (1...80).map { message(Int64($0), "message \($0)", at: Double($0)) },
      conversations: [Conversation(jid: .bob, lastActivity: .minutes(80))])
    let harness = await ShellHarness(size, ports: ports)
    harness.press(Key(.pageUp), Key(.pageUp))
    let before = harness.picture
    for step in 0..<40 {
      harness.screen.resize(to: Size(rows: 3 + step, columns: 10 + step * 3))
      harness.coordinator.screenDidResize()
    }
    harness.screen.resize(to: size)
    harness.coordinator.screenDidResize()
    #expect(harness.picture == before)
  }

  @Test func `conversations by number, with and without alt`() async {
    let harness = await ShellHarness(size)
    harness.press(.alt("2"))
    #expect(harness.shell.activeConversation == .chloe)
    harness.press(.control("x"), .character("1"))
    #expect(harness.shell.activeConversation == .bob)
    harness.press(.control("n"))
    #expect(harness.shell.activeConversation == .chloe)
    harness.press(Key(.up, .alt))
    #expect(harness.shell.activeConversation == .bob)
    harness.press(.alt("z"))
    #expect(harness.shell.activeConversation == .chloe)
  }

  @Test func `a sequence that means nothing types nothing`() async {
    let harness = await ShellHarness(size)
    harness.press(.control("x"), .character("j"), .control("x"), .escape, .control("x"), .enter)
    #expect(harness.shell.input.text == "")
    harness.type("j")
    #expect(harness.shell.input.text == "j")
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
    #expect(harness.rows[19].contains("Pasted 40 lines: Enter inserts, s sends, Esc drops"))
    harness.press(.escape)
    #expect(harness.shell.input.text == "one\ntwo\nthree")
    harness.coordinator.handle(.paste(String(repeating: "x\n", count: 40)))
    harness.press(.enter)
    #expect(harness.shell.input.text.hasPrefix("one\ntwo\nthreex\nx"))
    #expect(harness.rows[16].hasSuffix("42/42 lines"))
    await harness.settle()
    #expect(await !harness.ports.calls.contains { $0.hasPrefix("send") })
  }

  @Test func `a large paste is sent as one when somebody says so`() async {
    let harness = await ShellHarness(size)
    harness.coordinator.handle(.paste(String(repeating: "x\n", count: 40)))
    harness.press(.character("s"))
    #expect(harness.rows[21].contains("Enter sends 40 lines as one message, Esc does not"))
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
    // A single s is an answer until something else is typed; then it is a word's beginning, unless a key of another kind came.
    let typed = words == "s" ? "" : words
    #expect(harness.shell.input.text == lines + typed + "\n.")
    await harness.settle()
    #expect(await !harness.ports.calls.contains { $0.hasPrefix("send") })
  }

  @Test func `a wish to send a large paste is taken back, and does not outlast a look elsewhere`()
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

  @Test func `an error of a command stands above the input, and the line stays`() async {
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

  @Test func `ctrl-c clears, tells how to quit, and quits`() async {
    let harness = await ShellHarness(size)
    harness.type("x")
    harness.press(.control("c"))
    #expect(harness.shell.input.text == "")
    #expect(harness.done.isEmpty)
    harness.press(.control("c"))
    #expect(harness.rows[21].contains("^Q quits."))
    harness.press(.control("c"))
    #expect(harness.done == ["quit"])
    harness.press(.control("q"), .control("z"), .control("l"), .alt("t"), Key(.function(1)))
    #expect(harness.done == ["quit", "quit", "suspend", "redraw", "theme", "help"])
  }

  @Test func `an overlay has every key, paste and click, and goes when it is done`() async {
    let harness = await ShellHarness(size)
    let box = Box()
    harness.coordinator.present(box)
    #expect(harness.rows[11].dropFirst(35).hasPrefix("box"))
    harness.type("abc")
    harness.coordinator.handle(.paste("text"))
    harness.coordinator.handle(
      .mouse(MouseEvent(.press, button: 1, at: Point(row: 12, column: 36))))
    harness.coordinator.handle(.mouse(MouseEvent(.press, button: 1, at: Point(row: 0, column: 0))))
    #expect(box.keys.count == 3)
    #expect(box.pasted == "text")
    #expect(box.clicks == [Point(row: 1, column: 1)])
    #expect(harness.shell.input.text == "")
    harness.press(.control("q"))
    #expect(harness.done == ["quit"])
    harness.press(.enter)
    #expect(harness.coordinator.openOverlays.isEmpty)
    #expect(!harness.picture.contains("box"))
  }

  @Test(arguments: [Key.escape, .control("g"), .control("c")])
  func `an overlay that does not want a way out is closed by it`(_ key: Key) async {
    let harness = await ShellHarness(size)
    let (below, above) = (Box(), Box())
    harness.coordinator.present(below)
    harness.coordinator.present(above)
    harness.press(key)
    #expect(above.isDismissed)
    #expect(!below.isDismissed)
  }

  @Test func `an overlay that hides others leaves nothing to be seen or read`() async {
    let harness = await ShellHarness(size)
    let box = Box()
    box.hidesOthers = true
    harness.coordinator.present(box)
    #expect(!harness.picture.contains("DIRECT"))
    #expect(!harness.shell.timeline.isAttended)
    box.isDismissed = true
    box.invalidation.raise()
    harness.timers.fire()
    #expect(harness.picture.contains("DIRECT"))
    #expect(harness.shell.timeline.isAttended)
  }

  @Test func `before there is an account ctrl-c twice quits`() {
    let screen = MemoryScreen(size: size)
    let timers = ManualTimers()
    var quits = 0
    let now = ManualNow(.afternoon)
    var actions = ShellActions.forTests()
    actions.quit = { quits += 1 }
    let coordinator = AppCoordinator(
      screen: screen, localizer: english(), glyphs: .ascii, scheduler: timers.scheduler,
      actions: actions, now: { now.date })
    coordinator.show(nil)
    let box = Box()
    box.hidesOthers = true
    coordinator.present(box)
    coordinator.handle(.key(.control("c")))
    #expect(quits == 0)
    coordinator.handle(.key(.control("c")))
    #expect(quits == 1)
    #expect(!box.isDismissed)
    coordinator.handle(.hangup)
    #expect(quits == 2)
  }

  @Test func `the mouse opens conversations and scrolls what it points at`() async {
    let ports = FakePorts(
      messages: (1...80).map { message(Int64($0), "message \($0)", at: Double($0)) },
      conversations: [
        Conversation(jid: .bob, lastActivity: .minutes(80)), Conversation(jid: .chloe),
      ])
    let harness = await ShellHarness(size, ports: ports)
    harness.coordinator.handle(
      .mouse(MouseEvent(.wheelUp, button: 0, at: Point(row: 10, column: 50))))
    #expect(harness.shell.timeline.anchor != nil)
    harness.coordinator.handle(
      .mouse(MouseEvent(.press, button: 1, at: Point(row: 3, column: 8))))
    #expect(harness.shell.activeConversation == .chloe)
    #expect(harness.shell.input.isFocused)
  }

  @Test func `list and conversation are two pages on a narrow screen`() async {
    let harness = await ShellHarness(Size(rows: 15, columns: 40))
    #expect(await !harness.ports.calls.contains("markRead bob@example.net"))
    harness.press(Key(.down), .enter)
    await harness.settle()
    #expect(harness.rows[1].hasPrefix("< Chloe Dupont o away"))
    #expect(await harness.ports.calls.contains("markRead chloe@example.net"))
    harness.type("hi")
    harness.press(.escape)
    #expect(harness.rows[1] == " DIRECT")
    harness.press(Key(.tab))
    #expect(harness.rows[14] == "> hi")
    harness.screen.resize(to: size)
    harness.coordinator.screenDidResize()
    #expect(harness.rows[22].hasSuffix("| > hi"))
    #expect(harness.shell.input.isFocused)
  }

  @Test func `the title counts, and the bell rings for another conversation`() async {
    let harness = await ShellHarness(size)
    #expect(harness.screen.title == "Natter (3) Bob Martin")
    harness.handle(
      .messagesStored([message(20, "psst", from: .chloe, in: .chloe, at: 2)]))
    harness.handle(.conversationsChanged([Conversation(jid: .chloe, unread: 4)]))
    #expect(harness.screen.title == "Natter (4) Bob Martin")
    #expect(harness.screen.bellCount == 1)
    #expect(harness.rows[0].hasPrefix("[Chats 4]"))
  }

  @Test func `what comes while the terminal is not looked at stays unread`() async {
    let harness = await ShellHarness(size)
    harness.coordinator.handle(.focus(false))
    harness.handle(.messagesStored([message(20, "hello?", at: 3)]))
    harness.handle(.conversationsChanged([Conversation(jid: .bob, unread: 1)]))
    await harness.settle()
    #expect(harness.shell.sidebar.conversation(.bob)?.unread == 1)
    harness.coordinator.handle(.focus(true))
    await harness.settle()
    #expect(harness.shell.sidebar.conversation(.bob)?.unread == 0)
  }

  @Test func `idle, nothing waits`() async {
    let harness = await ShellHarness(size)
    harness.timers.fire()
    harness.timers.fire()
    #expect(harness.timers.count == 0)
    let flushes = harness.screen.flushCount
    harness.coordinator.display.drawFrame()
    #expect(harness.screen.flushCount == flushes)
  }
}
