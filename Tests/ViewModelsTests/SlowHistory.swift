import ChatsFixtures
import NatterCore
import XMPP

@testable import ViewModels

/// A page of history that comes when the test says so.
final nonisolated class SlowHistory: HistoryFetching {
  private let asked = AsyncStream<Void>.makeStream()
  private let answered = AsyncStream<Void>.makeStream()

  func isAsked() async { for await _ in asked.stream { return } }

  /// Returns a timeline of Bob that shows the newest page, and waits for an older one.
  @MainActor func waitingTimeline(
    of archive: any TimelineReading, _ lifetime: Lifetime
  ) async -> TimelineViewModel {
    let viewModel = TimelineViewModel(
      format: testFormat(), archive: archive, history: self, lifetime: lifetime,
      now: { .afternoon })
    viewModel.show(Conversation(jid: .bob))
    await lifetime.settle()
    viewModel.loadOlder()
    await isAsked()
    return viewModel
  }

  func answer() { answered.continuation.yield() }

  func holes(in conversation: JID) -> [HistoryHole] { [] }
  func counted(_ hole: HistoryHole, in conversation: JID) -> HistoryHole { hole }
  func fetchMissing(in hole: HistoryHole, of conversation: JID) -> HistoryOutcome { .beginning }

  func fetchOlder(in conversation: JID) async throws -> HistoryOutcome {
    asked.continuation.yield()
    for await _ in answered.stream { break }
    return .fetched
  }
}
