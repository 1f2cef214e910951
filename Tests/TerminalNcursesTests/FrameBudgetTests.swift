import ChatsFixtures
import Foundation
import NatterCore
import Terminal
import TestSupport
import Testing
import Text
import ViewModels
import XMPP

@testable import Panes
@testable import TerminalNcurses

extension ScreenTests {
  /// The cost of a full screen in bytes: 120x40, thirty conversations, a page of messages, the
  /// details beside it.
  @Suite(.serialized) struct FrameBudgetTests {
    private static let size = Size(rows: 40, columns: 120)

    /// The desktop on the screen of a pseudo-terminal.
    private struct Run {
      let terminal: PseudoTerminal
      let screen: NcursesScreen
      let ports: FakePorts
      let shell: ShellViewModel
      let coordinator: AppCoordinator
      let now: ManualNow

      func settle() async {
        for _ in 0..<2 {
          await shell.finish()
          coordinator.display.drawFrame()
        }
      }

      func bytes() async throws -> [UInt8] { Array(try await terminal.output().utf8) }
    }

    private func conversation(_ number: Int) -> JID {
      number == 0 ? .bob : JID(local: "friend\(number)", domain: "example.net")
    }

    private func ports() -> FakePorts {
      let words =
        "It is in the shared folder, second page, and reads well so far; the keys are another matter that we should talk about soon."
        .split(separator: " ")
      return FakePorts(
        messages: (1...60).map { number in
          message(
            Int64(number), words.prefix(3 + number * 7 % 20).joined(separator: " "),
            from: number % 3 == 0 ? .alice : .bob, at: Double(number - 60), delivery: .read)
        },
        conversations: (0..<30).map { number in
          Conversation(
            jid: conversation(number), unread: number % 4 == 3 ? number : 0,
            lastActivity: .minutes(Double(-number)))
        },
        contacts: (0..<30).map { number in
          Contact(
            jid: conversation(number), name: number == 0 ? "Bob Martin" : "Friend Number \(number)",
            subscription: .both)
        },
        presence: (0..<30).map { number in
          ContactPresence(
            jid: conversation(number), availability: [.online, .away, .busy][number % 3],
            status: number == 0 ? "Back at 3" : nil)
        }, now: .minutes(3))
    }

    private func theme() throws -> Theme {
      let file = Programs.checkout.appending(path: "Resources/themes/night.toml")
      return Theme(
        ThemeFile.parse(try String(contentsOf: file, encoding: .utf8), roles: StyleRole.named).file)
    }

    /// A terminal, and its properties besides its name.
    nonisolated struct Case: CustomTestStringConvertible, Sendable {
      let terminal: TerminalDescription
      var environment: [String: String] = [:]

      /// Every one that tests run on, and the one that tmux and GNU screen share once more.
      static var all: [Case] {
        TerminalDescription.testable.flatMap { terminal in
          let plain = Case(terminal: terminal)
          guard terminal.name.hasPrefix("screen") else { return [plain] }
          return [plain, Case(terminal: terminal, environment: ["TERM_PROGRAM": "tmux"])]
        }
      }

      var testDescription: String {
        terminal.name + (environment.isEmpty ? "" : " in tmux")
      }
    }

    private func run(_ test: Case, repeatsBlanks: Bool?) async throws -> Run {
      let terminal = try PseudoTerminal(
        rows: UInt16(Self.size.rows), columns: UInt16(Self.size.columns))
      let screen = try NcursesScreen(
        .init(
          theme: theme(), mouse: true, input: terminal.slave, output: terminal.slave,
          environment: test.environment.merging(["TERM": test.terminal.name]) { $1 }))
      if let repeatsBlanks { screen.repeatsBlanks = repeatsBlanks }
      let ports = ports()
      let glyphs: Glyphs = test.terminal.can(.wideGlyphs) ? .unicode : .ascii
      let (localizer, timers, now) = (
        Localizer(tag: "en", texts: try texts(of: "en")), ManualTimers(), ManualNow(.minutes(2))
      )
      let actions = ShellActions.forTests()
      let shell = ShellViewModel(
        ports: .init(
          timeline: ports, conversations: ports, histories: ports, roster: ports,
          rosterChanges: ports, presence: ports, ownPresence: ports, connection: ports,
          sender: ports, relating: ports, searching: ports,
          people: .init(describing: ports, blocking: ports), files: nil, preferences: ports),
        format: ItemFormat(
          localizer: localizer, glyphs: glyphs, account: .alice, local: { LocalTime.utc($0) }),
        scheduler: timers.scheduler, actions: actions, showsClock: true, memory: ComposerState(),
        now: { now.date })
      let coordinator = AppCoordinator(
        screen: screen, localizer: localizer, glyphs: glyphs, scheduler: timers.scheduler,
        actions: actions, now: { now.date })
      let run = Run(
        terminal: terminal, screen: screen, ports: ports, shell: shell, coordinator: coordinator,
        now: now)
      await shell.load()
      await shell.finish()
      shell.open(.bob)
      await shell.finish()
      coordinator.show(Desktop(shell: shell, showsSidebar: true, factories: []))
      coordinator.display.drawFrame()
      return run
    }

    /// Bytes of a start and of a message that arrives: the present figures, and a little for
    /// another word here and there. The aim is 8 kB for a start; GNU screen gets its spaces written
    /// out: it clears to its own background unless it is configured not to (screen(1), `bce`) and
    /// repeats nothing.
    private static let budgets: [String: (start: Int, message: Int)] = [
      "xterm-256color": (8000, 2000), "xterm-kitty": (8000, 2000),
      "tmux-256color": (8000, 2000), "screen-256color": (13_500, 2200),
      "screen-256color in tmux": (8000, 2000),
      "linux": (5400, 1400), "vt100": (4200, 1000),
    ]

    /// The bytes of a start and of a message, and the screen after each.
    private func costs(_ test: Case, repeatsBlanks: Bool? = nil) async throws -> [(
      count: Int, screen: VirtualTerminal
    )] {
      let run = try await run(test, repeatsBlanks: repeatsBlanks)
      defer { run.screen.stop() }
      var shown = VirtualTerminal(rows: Self.size.rows, columns: Self.size.columns)
      let start = try await run.bytes()
      shown.feed(start)
      var costs = [(start.count, shown)]
      let news = message(61, "Well then, see you on Friday at the station.", at: 1)
      await run.ports.add([news])
      run.shell.handle(.messagesStored([news]))
      await run.settle()
      let arrival = try await run.bytes()
      shown.feed(arrival)
      costs.append((arrival.count, shown))
      // At rest nothing is written.
      await run.settle()
      #expect(try await run.bytes() == [])
      return costs
    }

    @Test(arguments: Case.all)
    func `a full desktop and a message in it cost what they should`(test: Case) async throws {
      let budget = try #require(Self.budgets[test.testDescription])
      let costs = try await costs(test)
      #expect(costs[0].count <= budget.start && costs[1].count <= budget.message)
      #expect(costs[0].count > budget.start * 4 / 5, "less than expected: the budget is too large")
      for text in ["Friend Number 29", "Back at 3", "Write a message"] {
        #expect(costs[0].screen.contains(text))
      }
      #expect(costs[1].screen.contains("see you on Friday"))
      #expect(costs[1].screen.unknown == [] && costs[1].screen.malformedBytes == 0)
    }

    @Test(arguments: Case.all)
    func `a minute in which nothing happens costs fifty bytes`(test: Case) async throws {
      let run = try await run(test, repeatsBlanks: nil)
      defer { run.screen.stop() }
      var shown = VirtualTerminal(rows: Self.size.rows, columns: Self.size.columns)
      shown.feed(try await run.bytes())
      for minute in 3...5 {
        run.now.date = .minutes(Double(minute))
        run.shell.tabBar.minutePassed()
        await run.settle()
        let bytes = try await run.bytes()
        shown.feed(bytes)
        #expect(bytes.count <= 50, "\(String(decoding: bytes, as: UTF8.self).debugDescription)")
        #expect(shown.text(row: 0).contains("14:0\(minute)"))
      }
    }

    @Test(arguments: Case.all)
    func `blanks that are sent as a count give the same cells`(test: Case) async throws {
      let whole = try await costs(test, repeatsBlanks: false)
      let short = try await costs(test)
      for (whole, short) in zip(whole, short) {
        #expect(whole.screen.cells == short.screen.cells)
        #expect(whole.screen.cursor == short.screen.cursor)
      }
      let saved = whole[0].count - short[0].count
      let repeats =
        ["xterm-kitty", "tmux-256color"].contains(test.terminal.name) || !test.environment.isEmpty
      #expect(repeats ? saved > 2500 : saved == 0, "\(saved)")
    }

    @Test(arguments: [
      (["TERM": "tmux-256color", "TERM_PROGRAM": "tmux"], true),
      (["TERM": "screen-256color", "TERM_PROGRAM": "tmux", "STY": ""], true),
      // By ssh, which hands on no more than the name.
      (["TERM": "tmux-256color"], true),
      // tmux in GNU screen, and GNU screen in tmux.
      (["TERM": "tmux-256color", "TERM_PROGRAM": "tmux", "STY": "1.pts"], true),
      (["TERM": "screen-256color", "TERM_PROGRAM": "tmux", "STY": "1.pts"], false),
      // What is started in tmux and is a terminal itself, and tmux under the other name by ssh.
      (["TERM": "xterm-kitty", "TERM_PROGRAM": "tmux"], false),
      (["TERM": "screen-256color"], false),
      (["TERM": "screen-256color", "TERM_PROGRAM": "vscode"], false), ([:], false),
    ])
    func `tmux is known by what it says of itself`(environment: [String: String], isTmux: Bool) {
      #expect(NcursesScreen.isTmux(environment: environment) == isTmux)
    }
  }
}
