import ChatsFixtures
import Foundation
import NatterCore
import Testing

@testable import ViewModels

/// The order of requests for a whole history.
@Suite struct HistoryFetchPlanTests {
  private func hole(_ after: Double, _ before: Double) -> HistoryHole {
    HistoryHole(after: .minutes(after), before: .minutes(before))
  }

  @Test func `gaps come first, the newest before others, and one that stays is left alone`() {
    var plan = HistoryFetchPlan()
    let (old, new, smaller) = (hole(-20, -10), hole(-9, -5), hole(-9, -7))
    #expect(plan.step(among: [old, new]) == .missing(new))
    #expect(plan.take(.fetched, of: .missing(new), hasArchive: true) == .next)
    #expect(plan.step(among: [old, smaller]) == .missing(smaller))
    #expect(plan.take(.fetched, of: .missing(smaller), hasArchive: true) == .next)
    #expect(plan.step(among: [old, smaller]) == .missing(old))
    #expect(plan.take(.beginning, of: .missing(old), hasArchive: true) == .next)
    #expect(plan.step(among: [old, smaller]) == .older)
    #expect(plan.take(.fetched, of: .older, hasArchive: true) == .next)
    #expect(plan.take(.beginning, of: .older, hasArchive: true) == .ended(.incomplete))
  }

  @Test func `the end says what is missing, and why`() {
    let forbidden = HistoryRefusal(.forbidden)
    let ends: [(HistoryOutcome, Bool, HistoryFetchEnd)] = [
      (.beginning, true, .complete), (.beginning, false, .noArchive),
      (.refused(forbidden), true, .refused(forbidden)),
      (.refused(HistoryRefusal(.absent)), true, .noArchive),
    ]
    for (outcome, hasArchive, end) in ends {
      var plan = HistoryFetchPlan()
      #expect(plan.step(among: []) == .older)
      #expect(plan.take(outcome, of: .older, hasArchive: hasArchive) == .ended(end))
    }
  }

  @Test func `without an answer it waits, longer each time, until one comes`() {
    var plan = HistoryFetchPlan()
    func wait() -> HistoryFetchPlan.Verdict {
      plan.take(.offline, of: .older, hasArchive: true)
    }
    #expect(
      (1...8).map { _ in wait() } == [1, 2, 4, 8, 16, 32, 60, 60].map { .later(.seconds($0)) })
    #expect(plan.take(.fetched, of: .older, hasArchive: true) == .next)
    #expect([wait(), wait()] == [.later(.seconds(1)), .later(.seconds(2))])
    plan.reconnected()
    #expect(wait() == .later(.seconds(1)))
  }

  @Test func `a gap that is never answered does not hold the rest`() {
    var plan = HistoryFetchPlan()
    let gap = hole(-9, -5)
    for seconds in [1, 2, 4, 8] {
      #expect(plan.step(among: [gap]) == .missing(gap))
      #expect(
        plan.take(.offline, of: .missing(gap), hasArchive: true) == .later(.seconds(seconds)))
    }
    #expect(plan.take(.offline, of: .missing(gap), hasArchive: true) == .next)
    #expect(plan.step(among: [gap]) == .older)
    #expect(plan.take(.beginning, of: .older, hasArchive: true) == .ended(.incomplete))
  }
}
