import ChatsFixtures
import Foundation
import NatterCore
import TestSupport
import Testing
import XMPP

@testable import ViewModels

/// Reads that run while the user goes to another part of the conversation.
@Suite(.timeLimit(.minutes(6))) struct TimelineLeavingTests {
  private static func numbered(_ number: Int) -> Message {
    message(Int64(number), "text \(number)", at: Double(number))
  }

  @Test func `a hole that was being filled when the user went away is filled when they come back`()
    async
  {
    let ports = FakePorts(messages: (1...150).map(Self.numbered) + (171...220).map(Self.numbered))
    let history = HeldHistory(
      HistoryHole(after: Self.numbered(150).sentAt, before: Self.numbered(171).sentAt))
    let lifetime = Lifetime()
    let viewModel = TimelineViewModel(
      format: testFormat(), archive: ports, history: history, lifetime: lifetime)
    viewModel.show(Conversation(jid: .bob))
    await history.isAsked()
    viewModel.reveal(.init(20))
    while !viewModel.hasNewer { await Task.yield() }
    await history.answer()
    await lifetime.settle()
    #expect(await history.calls == 1)
    viewModel.jumpToNewest()
    await lifetime.settle()
    #expect(viewModel.items.contains { $0.kind == .hole })
    #expect(await history.calls == 2)
  }
}

/// History with one hole, of which the first question is answered when the test says so.
private actor HeldHistory: HistoryFetching {
  private let hole: HistoryHole
  private let asked = AsyncStream<Void>.makeStream()
  private let answered = AsyncStream<Void>.makeStream()
  private(set) var calls = 0

  init(_ hole: HistoryHole) { self.hole = hole }

  nonisolated func isAsked() async { for await _ in asked.stream { return } }
  func answer() { answered.continuation.yield() }

  func holes(in conversation: JID) -> [HistoryHole] { [hole] }
  func counted(_ hole: HistoryHole, in conversation: JID) -> HistoryHole { hole }
  func fetchOlder(in conversation: JID) -> HistoryOutcome { .beginning }

  func fetchMissing(in hole: HistoryHole, of conversation: JID) async -> HistoryOutcome {
    calls += 1
    guard calls == 1 else { return .offline }
    asked.continuation.yield()
    for await _ in answered.stream { break }
    return .offline
  }
}
