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

/// Scrolling through more than is in memory, and past what is not there yet.
@Suite struct TimelineScrollTests {
  private let lifetime = Lifetime()
  private let size = Size(rows: 12, columns: 60)

  private static func numbered(_ number: Int) -> Message {
    message(Int64(number), "text \(number).", at: Double(number))
  }

  private func timeline(_ ports: FakePorts, _ history: (any HistoryFetching)? = nil) -> (
    TimelineViewModel, TimelinePane
  ) {
    let viewModel = TimelineViewModel(
      format: testFormat(), archive: ports, history: history, lifetime: lifetime,
      now: { .afternoon })
    return (viewModel, TimelinePane(viewModel: viewModel, glyphs: .ascii, welcome: "welcome"))
  }

  /// The numbers of the messages on the screen.
  private func shown(_ pane: TimelinePane) -> [Int] {
    var surface = Surface(size: size)
    pane.draw(into: &surface)
    return surface.description.matches(of: /text (\d+)\./).compactMap { Int($0.1) }
  }

  @Test func `each page down shows the next page, also where memory ends`() async {
    let ports = FakePorts(messages: (1...700).map(Self.numbered))
    let (viewModel, pane) = timeline(ports)
    viewModel.show(Conversation(jid: .bob))
    await lifetime.settle()
    _ = shown(pane)
    while shown(pane).first != 1 {
      pane.scroll(pages: -1)
      await lifetime.settle()
    }
    #expect(viewModel.hasNewer)
    var seen = shown(pane)
    while viewModel.anchor != nil {
      let last = seen.last
      pane.scroll(pages: 1)
      let page = shown(pane)
      #expect(page.last ?? 0 > last ?? 0, "a press that shows nothing new after \(last ?? 0)")
      seen += page
      await lifetime.settle()
    }
    #expect(Set(seen) == Set(1...700))
    #expect(shown(pane).last == 700)
  }

  @Test func `page down faster than the database stops at the end of memory, and goes on`() async {
    let ports = FakePorts(messages: (1...700).map(Self.numbered))
    let (viewModel, pane) = timeline(ports)
    viewModel.show(Conversation(jid: .bob))
    await lifetime.settle()
    _ = shown(pane)
    while shown(pane).first != 1 {
      pane.scroll(pages: -1)
      await lifetime.settle()
    }
    for _ in 0..<200 { pane.scroll(pages: 1) }
    // No page was read meanwhile, and none was passed over.
    #expect(shown(pane).last == 480)
    #expect(viewModel.anchor != nil)
    await lifetime.settle()
    #expect(shown(pane).last == 480)
    pane.scroll(pages: 1)
    #expect(shown(pane).first ?? 0 <= 481)
    #expect(shown(pane).last ?? 0 > 480)
  }

  @Test func `page up waits at a hole that is being filled, and then goes through it`() async {
    let ports = FakePorts(messages: (1...30).map(Self.numbered) + (61...90).map(Self.numbered))
    let history = HeldHistory(ports, missing: (31...60).map(Self.numbered))
    let (viewModel, pane) = timeline(ports, history)
    viewModel.show(Conversation(jid: .bob))
    while await !history.isAsked { await Task.yield() }
    _ = shown(pane)
    for _ in 0..<20 { pane.scroll(pages: -1) }
    #expect(shown(pane).first == 61)
    await history.release(.fetched)
    // The writer of a page reports it.
    viewModel.handle(.historyStored((31...60).map(Self.numbered)))
    await lifetime.settle()
    #expect(viewModel.awaitedHole == nil)
    // What is being read stays where it is.
    #expect(shown(pane).contains(61))
    var seen = Set(shown(pane))
    for _ in 0..<20 {
      pane.scroll(pages: -1)
      seen.formUnion(shown(pane))
    }
    #expect(seen.isSuperset(of: 1...61))
  }

  @Test func `a page up that memory cuts short goes on when the page is there`() async {
    let ports = FakePorts(messages: (1...200).map(Self.numbered))
    let (viewModel, pane) = timeline(ports)
    viewModel.show(Conversation(jid: .bob))
    await lifetime.settle()
    _ = shown(pane)
    // Sixty messages are in memory; faster than the database.
    for _ in 0..<30 { pane.scroll(pages: -1) }
    #expect(shown(pane).first == 141)
    await lifetime.settle()
    // The rest of one press, not of all thirty; the day's line takes rows, too.
    #expect((129...131).contains(shown(pane).first ?? 0))
    // What is not there is not owed for ever.
    for _ in 0..<30 {
      pane.scroll(pages: -1)
      await lifetime.settle()
    }
    #expect(shown(pane).first == 1)
    pane.scroll(pages: 1)
    let page = shown(pane)
    #expect(page.first ?? 0 > 5)
    await lifetime.settle()
    #expect(shown(pane) == page)
  }

  @Test func `page up passes a hole that cannot be filled`() async {
    let ports = FakePorts(messages: (1...30).map(Self.numbered) + (61...90).map(Self.numbered))
    let history = HeldHistory(ports, missing: (31...60).map(Self.numbered))
    let (viewModel, pane) = timeline(ports, history)
    viewModel.show(Conversation(jid: .bob))
    while await !history.isAsked { await Task.yield() }
    await history.release(.offline)
    await lifetime.settle()
    _ = shown(pane)
    for _ in 0..<20 { pane.scroll(pages: -1) }
    #expect(shown(pane).first == 1)
  }

  @Test func `without a connection a page up at the top asks once, not without end`() async {
    let ports = FakePorts(messages: (1...30).map(Self.numbered))
    let history = HeldHistory(ports, missing: [], older: .offline)
    let (viewModel, pane) = timeline(ports, history)
    viewModel.show(Conversation(jid: .bob))
    await lifetime.settle()
    _ = shown(pane)
    for _ in 0..<5 {
      pane.scroll(pages: -1)
      await lifetime.settle()
    }
    // Once by itself, and once with each press at the most.
    #expect(await history.asked <= 6)
  }
}

/// A conversation with one hole; what fills it comes when the test says so.
private actor HeldHistory: HistoryFetching {
  private let ports: FakePorts
  private var missing: [Message]
  private var outcome: HistoryOutcome?
  private var waiting: CheckedContinuation<HistoryOutcome, Never>?
  /// Indicates whether a load waits for its end.
  var isAsked: Bool { waiting != nil }

  private let older: HistoryOutcome
  private(set) var asked = 0

  init(_ ports: FakePorts, missing: [Message], older: HistoryOutcome = .beginning) {
    self.ports = ports
    self.missing = missing
    self.older = older
  }

  /// Ends the fetch that waits, and those to come, with `outcome`.
  func release(_ outcome: HistoryOutcome) async {
    self.outcome = outcome
    if outcome == .fetched {
      await ports.add(missing)
      missing = []
    }
    waiting?.resume(returning: outcome)
    waiting = nil
  }

  func fetchOlder(in conversation: JID) -> HistoryOutcome {
    asked += 1
    return older
  }

  func holes(in conversation: JID) -> [HistoryHole] {
    guard let first = missing.first, let last = missing.last else { return [] }
    return [
      HistoryHole(
        after: first.sentAt.addingTimeInterval(-60), before: last.sentAt.addingTimeInterval(60))
    ]
  }

  func counted(_ hole: HistoryHole, in conversation: JID) -> HistoryHole { hole }

  func fetchMissing(in hole: HistoryHole, of conversation: JID) async -> HistoryOutcome {
    if let outcome { return outcome }
    return await withCheckedContinuation { waiting = $0 }
  }
}
