import ChatsFixtures
import Foundation
import NatterCore
import TestSupport
import Testing
import Text
import XMPP

@testable import ViewModels

/// Going to a day, and to the first message, where these are not stored.
@Suite struct DayVisitTests {
  /// An archive that brings messages into a database.
  private actor DayHistory: HistoryFetching {
    private let ports: FakePorts
    private let brought: [Message]
    private let outcome: HistoryOutcome
    private(set) var starts: [Date?] = []
    /// Holds back the answers; `nil`: they come at once.
    private let gate: Gate?
    private let isEarly: Bool

    init(
      _ brought: [Message], _ outcome: HistoryOutcome = .fetched, into ports: FakePorts,
      gate: Gate? = nil, isEarly: Bool = false
    ) {
      self.isEarly = isEarly
      (self.ports, self.brought, self.outcome, self.gate) = (ports, brought, outcome, gate)
    }

    func fetch(from start: Date?, in conversation: JID) async -> HistoryOutcome {
      starts.append(start)
      await gate?.wait()
      await ports.add(brought)
      return outcome
    }
    func isSigningIn() -> Bool { isEarly }
    func fetchOlder(in conversation: JID) -> HistoryOutcome { .beginning }
    func holes(in conversation: JID) -> [HistoryHole] { [] }
    func counted(_ hole: HistoryHole, in conversation: JID) -> HistoryHole { hole }
    func fetchMissing(in hole: HistoryHole, of conversation: JID) -> HistoryOutcome { .beginning }
  }

  private func shell(
    _ ports: FakePorts, _ history: DayHistory, timers: ManualTimers = ManualTimers()
  ) async -> ShellViewModel {
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

  private func ports() -> FakePorts {
    FakePorts(
      messages: [message(10, "new", at: 0)],
      conversations: [Conversation(jid: .bob, lastActivity: .minutes(0))])
  }

  /// Minutes from the afternoon of 20 November to noon of the 10th.
  private let tenth = -60.0 * (24 * 10 + 2)

  @Test func `the day's first message is fetched and shown`() async throws {
    let ports = ports()
    let history = DayHistory(
      [message(1, "then", at: tenth), message(2, "later", at: tenth + 1)], into: ports)
    let shell = await shell(ports, history)
    try shell.goTo(day: "2026-11-10")
    await shell.finish()
    // From the day's beginning on, in the user's zone.
    let start = await history.starts.first ?? nil
    #expect(start.map { abs($0.timeIntervalSince(.minutes(tenth - 720))) < 0.01 } == true)
    #expect(shell.timeline.items.filter(\.isMarked).map(\.body) == ["then"])
    #expect(!shell.status.message.text.contains("2026"))
  }

  @Test(arguments: [
    (HistoryOutcome.fetched, "No messages on 2026-11-08; the next ones are shown."),
    (.beginning, "No messages on 2026-11-08; the next ones are shown."),
    (.offline, "No answer from the server: messages of 2026-11-08 may be missing."),
  ])
  func `without a message on the day it shows the next ones, and says so`(
    outcome: HistoryOutcome, text: String
  ) async throws {
    let ports = ports()
    let shell = await shell(
      ports, DayHistory([message(1, "then", at: tenth)], outcome, into: ports))
    try shell.goTo(day: "2026-11-08")
    await shell.finish()
    #expect(shell.timeline.items.filter(\.isMarked).map(\.body) == ["then"])
    #expect(shell.status.message.text == text)
  }

  @Test(arguments: ["/goto 2026-11-08", ""])
  func `a room that refuses its archive is named as the reason`(line: String) async throws {
    let ports = ports()
    let refused = HistoryOutcome.refused(HistoryRefusal(.forbidden))
    let shell = await shell(ports, DayHistory([], refused, into: ports))
    if line.isEmpty { #expect(shell.goToFirstMessage()) } else { try shell.goTo(day: "2026-11-08") }
    await shell.finish()
    #expect(
      shell.status.message.text.hasPrefix(
        "Earlier messages are not available: the room does not let you read its history."))
  }

  @Test func `without an answer it does not say that there is nothing`() async throws {
    let ports = FakePorts(conversations: [Conversation(jid: .bob, lastActivity: .minutes(0))])
    let shell = await shell(ports, DayHistory([], .offline, into: ports))
    try shell.goTo(day: "2026-11-08")
    await shell.finish()
    #expect(
      shell.status.message.text
        == "No answer from the server: messages of 2026-11-08 may be missing.")
  }

  @Test(arguments: [true, false])
  func `before the session is set up it does not say that the server has not answered`(
    isDay: Bool
  ) async throws {
    let ports = ports()
    let shell = await shell(ports, DayHistory([], .offline, into: ports, isEarly: true))
    if isDay { try shell.goTo(day: "2026-11-08") } else { #expect(shell.goToFirstMessage()) }
    await shell.finish()
    let missing = isDay ? "messages of 2026-11-08" : "earlier messages"
    #expect(
      shell.status.message.text
        == "Still signing in: \(missing) may be missing. Go there again in a moment.")
  }

  @Test func `the first message of all is shown, with the lines above it`() async {
    let ports = ports()
    let history = DayHistory([message(1, "first", at: tenth)], into: ports)
    let shell = await shell(ports, history)
    #expect(shell.goToFirstMessage())
    await shell.finish()
    #expect(await history.starts == [nil])
    #expect(shell.timeline.anchor == .init(message: .init(1), line: -2))
    #expect(shell.timeline.items.filter(\.isMarked).isEmpty)
    #expect(shell.timeline.selectedMessage == nil)
    shell.timeline.isFocused = true
    #expect(shell.goToFirstMessage())
    await shell.finish()
    #expect(shell.timeline.selectedMessage?.id == .init(1))
  }

  @Test func `waiting for the server is shown until the message is`() async {
    let (ports, timers, gate) = (ports(), ManualTimers(), Gate())
    let history = DayHistory([message(1, "first", at: tenth)], into: ports, gate: gate)
    let shell = await shell(ports, history, timers: timers)
    let before = shell.status.message.text
    #expect(shell.goToFirstMessage())
    #expect(shell.status.message.text == before)
    timers.fire()
    #expect(shell.status.message.text == "Loading older messages ...")
    gate.open()
    await shell.finish()
    #expect(shell.status.message.text == before)
    #expect(shell.timeline.anchor?.message == .init(1))
  }

  @Test func `the user who has moved on stays where they are`() async {
    let (ports, gate) = (ports(), Gate())
    let history = DayHistory([message(1, "first", at: tenth)], .offline, into: ports, gate: gate)
    let shell = await shell(ports, history)
    let before = shell.status.message.text
    #expect(shell.goToFirstMessage())
    let anchor = TimelineViewModel.Anchor(message: .init(10), line: 0)
    shell.timeline.scroll(to: anchor)
    gate.open()
    await shell.finish()
    #expect(shell.timeline.anchor == anchor)
    #expect(shell.status.message.text == before)
  }

  @Test func `of two days that were asked for, the last one is shown`() async throws {
    let (ports, gate) = (ports(), Gate())
    let shell = await shell(
      ports, DayHistory([message(1, "then", at: tenth)], into: ports, gate: gate))
    try shell.goTo(day: "2026-11-10")
    try shell.goTo(day: "2026-11-20")
    gate.open()
    await shell.finish()
    #expect(shell.timeline.items.filter(\.isMarked).map(\.body) == ["new"])
  }
}
