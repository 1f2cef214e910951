import ChatsFixtures
import NatterCore
import Synchronization
import TestSupport
import Testing
import XMPP

@testable import ViewModels

/// FLOWS.md 5: what the database does not hold is fetched from the archive.
@Suite struct TimelineHistoryTests {
  let now = ManualNow(.afternoon)

  private func timeline(
    _ ports: FakePorts, _ history: ScriptedHistory, _ lifetime: Lifetime
  ) -> TimelineViewModel {
    TimelineViewModel(
      format: testFormat(), archive: ports, history: history, lifetime: lifetime,
      now: { now.date })
  }

  private func notices(_ viewModel: TimelineViewModel) -> [String] {
    viewModel.items.filter { $0.kind == .notice }.map(\.body)
  }

  @Test func `got rows? no: repull, once by itself and then with each page up`() async {
    let history = ScriptedHistory([.fetched, .offline, .beginning])
    let lifetime = Lifetime()
    let viewModel = timeline(FakePorts(messages: [message(1, "one")]), history, lifetime)
    viewModel.show(Conversation(jid: .bob))
    await lifetime.settle()
    #expect(history.calls == 1)
    viewModel.loadOlder()
    await lifetime.settle()
    #expect(history.calls == 2)
    #expect(notices(viewModel).isEmpty)
    viewModel.loadOlder()
    await lifetime.settle()
    #expect(notices(viewModel) == ["This is the beginning."])
    viewModel.loadOlder()
    await lifetime.settle()
    #expect(history.calls == 3)
  }

  @Test func `history that is announced is no news`() async {
    let history = ScriptedHistory([.offline])
    let lifetime = Lifetime()
    let viewModel = timeline(FakePorts(messages: [message(1, "one", at: 5)]), history, lifetime)
    viewModel.show(Conversation(jid: .bob))
    await lifetime.settle()
    viewModel.scroll(to: .init(message: .init(1), line: 0))
    viewModel.handle(.historyStored([message(2, "older", at: 1), message(3, "newer", at: 9)]))
    #expect(viewModel.newBelow == 0)
    #expect(viewModel.items.filter { $0.kind == .message }.map(\.body) == ["one", "newer"])
    #expect(!viewModel.items.contains { $0.kind == .new })
  }
}

/// History as the test says, one outcome a call, the last one for ever.
private final nonisolated class ScriptedHistory: HistoryFetching {
  private let state: Mutex<(outcomes: [HistoryOutcome], calls: Int)>

  init(_ outcomes: [HistoryOutcome]) { state = Mutex((outcomes, 0)) }

  var calls: Int { state.withLock { $0.calls } }

  func fetchOlder(in conversation: JID) async throws -> HistoryOutcome {
    state.withLock { state in
      state.calls += 1
      return state.outcomes.count > 1 ? state.outcomes.removeFirst() : state.outcomes[0]
    }
  }
}
