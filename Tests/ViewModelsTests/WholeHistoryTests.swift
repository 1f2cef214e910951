import ChatsFixtures
import Foundation
import NatterCore
import TestSupport
import Testing
import Text
import XMPP

@testable import ViewModels

/// `/history`: fetching everything that an archive has of a conversation.
@Suite struct WholeHistoryTests {
  /// An archive that brings one page after the other into a database.
  private actor PagedArchive: HistoryFetching {
    private let ports: FakePorts
    private var pages: [[Message]] = []
    private let isThere: Bool
    /// The answers to come instead of pages.
    private var outcomes: [HistoryOutcome] = []
    private(set) var calls = 0

    init(into ports: FakePorts, isThere: Bool = true) {
      (self.ports, self.isThere) = (ports, isThere)
    }

    func put(_ pages: [[Message]], after outcomes: [HistoryOutcome] = []) {
      (self.pages, self.outcomes, calls) = (pages, outcomes, 0)
    }
    func fetchOlder(in conversation: JID) async -> HistoryOutcome {
      calls += 1
      if !outcomes.isEmpty { return outcomes.removeFirst() }
      guard !pages.isEmpty else { return .beginning }
      await ports.add(pages.removeFirst())
      return .fetched
    }
    func holes(in conversation: JID) -> [HistoryHole] { [] }
    func counted(_ hole: HistoryHole, in conversation: JID) -> HistoryHole { hole }
    func fetchMissing(in hole: HistoryHole, of conversation: JID) -> HistoryOutcome { .beginning }
    func hasArchive(of conversation: JID) -> Bool { isThere }
  }

  private let timers = ManualTimers()
  private let ports = FakePorts(
    messages: [message(10, "new", at: 0)],
    conversations: [
      Conversation(jid: .bob, lastActivity: .minutes(0)),
      Conversation(jid: .chloe, lastActivity: .minutes(-5)),
    ])
  private static let pages = [[message(2, "b", at: -2)], [message(1, "a", at: -3)]]

  private func shell(_ history: PagedArchive) async -> ShellViewModel {
    let shell = ShellViewModel(
      ports: .init(
        timeline: ports, conversations: ports, histories: ports, roster: ports,
        rosterChanges: ports, presence: ports, ownPresence: ports, connection: ports,
        sender: ports, searching: ports, history: history, preferences: ports),
      format: testFormat(), scheduler: timers.scheduler, actions: .forTests(),
      now: { .afternoon })
    await shell.load()
    shell.open(.bob)
    await shell.finish()
    return shell
  }

  /// Waits for what can happen without a timer.
  private func settle(_ shell: ShellViewModel) async {
    await shell.requests.wholeHistory?.lifetime.settle()
    await shell.finish()
  }

  private func run(_ line: String, _ shell: ShellViewModel) async {
    await shell.enter(line)
    await settle(shell)
  }

  private func text(_ shell: ShellViewModel) -> String { shell.status.message.text }

  @Test func `all pages are fetched, and the end says how many messages there are`() async {
    let history = PagedArchive(into: ports)
    let shell = await shell(history)
    await history.put(Self.pages)
    await run("/history", shell)
    #expect(await history.calls == 3)
    #expect(text(shell) == "The whole history of \(shell.name(of: .bob)) is here: 3 messages.")
    // Once more, there is nothing to fetch.
    await run("/history fetch", shell)
    #expect(await history.calls == 4)
  }

  @Test func `the progress is shown, and without an answer it goes on after a pause`() async {
    let history = PagedArchive(into: ports)
    let shell = await shell(history)
    await history.put(Self.pages, after: [.offline])
    await run("/history", shell)
    let name = shell.name(of: .bob)
    #expect(
      text(shell) == "History of \(name): waiting for the server - in its chat: /pause, /cancel")
    shell.handle(.historyStored(Self.pages[0]))
    // Other conversations do not count.
    shell.handle(.historyStored([message(7, "c", from: .chloe, in: .chloe, at: -9)]))
    let day = shell.format.shortDay(.minutes(-2), now: .afternoon)
    #expect(
      text(shell) == "History of \(name): waiting for the server; 1 message, back to \(day)")
    timers.fire()
    await settle(shell)
    #expect(text(shell) == "The whole history of \(name) is here: 3 messages.")
  }

  @Test func `it is paused, resumed and ended`() async {
    let history = PagedArchive(into: ports)
    let shell = await shell(history)
    await history.put(Self.pages, after: [.offline, .offline])
    await run("/history", shell)
    await run("/pause", shell)
    let name = shell.name(of: .bob)
    #expect(text(shell) == "History of \(name) paused - in its chat: /pause resumes, /cancel ends")
    timers.fire()
    shell.handle(.connectionChanged(.online))
    await settle(shell)
    #expect(await history.calls == 1)
    await run("/history", shell)
    #expect(await history.calls == 2)
    // Elsewhere these commands are about that conversation.
    shell.open(.chloe)
    await settle(shell)
    await run("/history", shell)
    #expect(text(shell).hasPrefix("The history of \(name) is being fetched."))
    shell.open(.bob)
    await settle(shell)
    // The list has asked by itself for the conversations that were opened.
    let calls = await history.calls
    await run("/cancel", shell)
    #expect(
      text(shell)
        == "The history of \(name) is no longer fetched; the messages that came stay.")
    shell.status.clear()
    #expect(text(shell) == "")
    timers.fire()
    await settle(shell)
    #expect(await history.calls == calls)
  }

  @Test func `a lost connection interrupts it, and the next one continues it`() async {
    let history = PagedArchive(into: ports)
    let shell = await shell(history)
    await history.put(Self.pages, after: [.offline])
    await run("/history", shell)
    shell.handle(.connectionChanged(.offline))
    timers.fire()
    await settle(shell)
    #expect(await history.calls == 1)
    shell.handle(.connectionChanged(.online))
    await settle(shell)
    #expect(await history.calls == 4)
    #expect(await ports.messages.count == 3)
  }

  @Test func `without an archive that is said`() async {
    let history = PagedArchive(into: ports, isThere: false)
    let shell = await shell(history)
    await run("/history", shell)
    #expect(
      text(shell)
        == "The server keeps no history of \(shell.name(of: .bob)): the messages here are all there are."
    )
  }

  @Test(arguments: [
    ("/history banana", "\"banana\" is not fetch or cancel."),
    ("/history cancel", "No history is being fetched."),
  ])
  func `what is wrong is said`(line: String, start: String) async {
    let shell = await shell(PagedArchive(into: ports))
    await run(line, shell)
    #expect(text(shell).hasPrefix(start))
  }

  @Test func `a shell that replaces another one continues it`() async {
    let history = PagedArchive(into: ports)
    let old = await shell(history)
    let new = await shell(history)
    await history.put(Self.pages, after: [.offline])
    await run("/history", old)
    new.restore(from: old)
    #expect(text(new).hasPrefix("History of "))
    timers.fire()
    await settle(new)
    #expect(text(new).hasPrefix("The whole history of "))
    #expect(await ports.messages.count == 3)
  }

  @Test func `the list learns that the database has older messages than it`() {
    let page = (10...12).map { message(Int64($0), "text \($0)", at: Double($0)) }
    let older = [message(3, "older", at: 3)]
    var window = TimelineWindow()
    window.replace(withLatest: page, announced: [:])
    #expect(!window.hasOlder)
    func merge(_ history: [Message], isReading: Bool = false) -> Bool {
      window.merge(history: history, isReading: isReading)
    }
    // A page that is being read shows that itself.
    #expect(!merge(older, isReading: true))
    #expect(!window.hasOlder)
    #expect(merge(older))
    #expect(window.hasOlder)
    #expect(!merge(older))
    #expect(window.messages.map(\.id.rawValue) == [10, 11, 12])
    #expect(merge([message(13, "newer", at: 13)]))
    #expect(window.messages.last?.id.rawValue == 13)
  }
}
