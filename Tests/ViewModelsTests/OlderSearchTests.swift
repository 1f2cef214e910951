import ChatsFixtures
import Foundation
import NatterCore
import TestSupport
import Testing
import Text
import XMPP

@testable import ViewModels

/// The search in messages that only the server has.
@Suite struct OlderSearchTests {
  /// An archive that brings one page after the other into a database.
  private actor PagedHistory: HistoryFetching {
    private let ports: FakePorts
    private var pages: [[Message]]
    private let last: HistoryOutcome
    /// The pages that are missing between stored messages, the newest first.
    private var missing: [[Message]]
    private(set) var calls = 0
    private(set) var callsForMissing = 0
    /// Indicates whether the session is set up yet.
    var isEarly = false
    func set(early isEarly: Bool) { self.isEarly = isEarly }
    func isSigningIn() -> Bool { isEarly }

    init(
      _ pages: [[Message]], missing: [[Message]] = [], last: HistoryOutcome = .beginning,
      into ports: FakePorts
    ) {
      (self.ports, self.pages, self.missing, self.last) = (ports, pages, missing, last)
    }

    func fetchOlder(in conversation: JID) async throws -> HistoryOutcome {
      calls += 1
      guard !pages.isEmpty else { return last }
      await ports.add(pages.removeFirst())
      return .fetched
    }
    func holes(in conversation: JID) -> [HistoryHole] {
      // The oldest gap cannot be filled, and one of them never gets smaller.
      let open = HistoryHole(after: .minutes(-20), before: .minutes(-10))
      let stuck = HistoryHole(after: .minutes(-9), before: .minutes(-8))
      guard !missing.isEmpty else { return [open, stuck] }
      return [
        open, stuck, HistoryHole(after: .minutes(-7), before: .minutes(Double(missing.count))),
      ]
    }
    func counted(_ hole: HistoryHole, in conversation: JID) -> HistoryHole { hole }
    func fetchMissing(in hole: HistoryHole, of conversation: JID) async -> HistoryOutcome {
      callsForMissing += 1
      if hole.after == .minutes(-20) { return .beginning }
      if hole.after == .minutes(-7) { await ports.add(missing.removeFirst()) }
      return .fetched
    }
  }

  private let lifetime = Lifetime()

  private func search(_ query: String, _ ports: FakePorts, _ history: PagedHistory?)
    -> MessageSearch
  {
    let context = SearchContext(
      format: testFormat(), now: { .afternoon }, lifetime: lifetime,
      own: SearchedAccount(
        jid: .alice, index: 0, searching: ports, archive: ports, name: { $0.local ?? "" },
        author: { _ in "" }), others: { [] }, names: { [] }, history: history, open: { _, _ in },
      goBack: {},
      report: { _ in })
    return MessageSearch(query, in: .bob, context) {
      shown.ids.append($0.rawValue); _ = $1
    }
  }

  private final class Shown { var ids: [Int64] = [] }
  private let shown = Shown()

  @Test func `Enter asks for older messages until one matches, and shows it`() async {
    let ports = FakePorts(messages: [message(10, "hay", at: 10), message(11, "hay", at: 11)])
    let history = PagedHistory(
      [
        [message(3, "hay", at: 3)], [message(2, "a needle", at: 2)], [message(1, "needle", at: 1)],
      ], into: ports)
    let search = search("needle", ports, history)
    await lifetime.settle()
    #expect(search.status == "not found")
    #expect(
      search.note(isNarrow: false)
        == "not in the 2 messages here; Enter asks the server for older ones")
    #expect(search.note(isNarrow: true) == "Enter asks the server for older ones")
    // Only the key for older ones asks.
    search.move(-1)
    await lifetime.settle()
    #expect(await history.calls == 0)
    search.move(1)
    await lifetime.settle()
    #expect(await history.calls == 2)
    #expect(shown.ids == [2] && search.status == "1/1")
    #expect(search.note(isNarrow: false) == "")
  }

  @Test(arguments: [
    (HistoryOutcome.beginning, "not in all 2 messages of this chat", 2),
    (.offline, "no answer from the server; Enter asks again", 3),
  ])
  func `what came of it is said where nothing matches`(
    outcome: HistoryOutcome, text: String, calls: Int
  ) async {
    let ports = FakePorts(messages: [message(10, "hay", at: 10)])
    let history = PagedHistory([[message(3, "hay", at: 3)]], last: outcome, into: ports)
    let search = search("needle", ports, history)
    await lifetime.settle()
    search.move(1)
    await lifetime.settle()
    #expect(search.note(isNarrow: false) == text)
    // Where there is nothing more, nobody is asked again.
    search.move(1)
    await lifetime.settle()
    #expect(await history.calls == calls)
    // Another query begins anew.
    search.edit("nail", cursor: 4)
    await lifetime.settle()
    #expect(search.note(isNarrow: false).hasPrefix("not in the 2 messages here"))
    search.edit("hay", cursor: 3)
    await lifetime.settle()
    #expect(search.note(isNarrow: false) == "" && search.status == "1/2")
  }

  @Test func `before the session is set up the server was not asked, and can be asked later`() async
  {
    let ports = FakePorts(messages: [message(10, "hay", at: 10)])
    let history = PagedHistory([], last: .offline, into: ports)
    await history.set(early: true)
    let search = search("needle", ports, history)
    await lifetime.settle()
    search.move(1)
    await lifetime.settle()
    #expect(search.note(isNarrow: false) == "still signing in; Enter asks again")
    await history.set(early: false)
    search.move(1)
    await lifetime.settle()
    #expect(search.note(isNarrow: false) == "no answer from the server; Enter asks again")
    #expect(await history.calls == 2)
  }

  @Test func `what is missing between stored messages is asked for before older ones`() async {
    let ports = FakePorts(messages: [message(1, "hay", at: 1), message(11, "hay", at: 11)])
    let history = PagedHistory(
      [[message(2, "needle", at: 0)]],
      missing: [[message(9, "hay", at: 9)], [message(8, "a needle", at: 8)]], into: ports)
    let search = search("needle", ports, history)
    await lifetime.settle()
    search.move(1)
    await lifetime.settle()
    #expect(shown.ids == [8])
    #expect(await history.calls == 0)
  }

  @Test func `gaps that cannot be filled are asked for once`() async {
    let ports = FakePorts(messages: [message(10, "hay", at: 10)])
    let history = PagedHistory([], into: ports)
    let search = search("needle", ports, history)
    await lifetime.settle()
    search.move(1)
    await lifetime.settle()
    #expect(search.note(isNarrow: false) == "not in the only message of this chat")
    #expect(await history.callsForMissing == 2)
    #expect(await history.calls == 1)
  }

  @Test func `without an archive nothing is offered`() async {
    let ports = FakePorts(messages: [message(10, "hay", at: 10)])
    let search = search("needle", ports, nil)
    await lifetime.settle()
    #expect(search.status == "not found" && search.note(isNarrow: false) == "")
    search.move(1)
    await lifetime.settle()
    #expect(search.status == "not found")
  }
}
