import ChatsFixtures
import Keys
import NatterCore
import Terminal
import TestSupport
import Testing
import Text
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
          bindings: .natter, tabs: builtInTabs, context: .everywhere, commands: [],
          localizer: english(), other: []),
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
    let beat = MinuteTimer(scheduler: harness.timers.scheduler) { harness.now.date }
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
    #expect(harness.rows[21].hasSuffix("1 new below: End"))
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

  @Test func `ctrl-c clears, shows how to quit, and quits`() async {
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
    // The server is notified, too (XEP-0352).
    let reported = await harness.ports.calls.filter { $0.hasSuffix("active") }
    #expect(reported == ["inactive", "active"])
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
