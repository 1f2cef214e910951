import Testing

@testable import TestSupport

/// The faults that a fault test reports.
@Suite struct FaultReportTests {
  private let alice = "alice@host.invalid"
  private let bob = "bob@host.invalid"

  private func typed(_ number: Int, _ delivery: String = "delivered") -> FaultPeer.Row {
    FaultPeer.Row(body: "a-\(number). x", outgoing: true, delivery: delivery, delayed: false)
  }

  private func came(_ number: Int) -> FaultPeer.Row {
    FaultPeer.Row(body: "b-\(number). x", outgoing: false, delayed: false)
  }

  /// - Parameters:
  ///   - rows: the database.
  ///   - own: the account's archive, in its order.
  ///   - other: the recipient's.
  ///   - arrived: how often the recipient has seen what, in each session.
  private func report(
    _ rows: [FaultPeer.Row], own: [FaultPeer.Row], other: [FaultPeer.Row],
    arrived: [[String: Int]] = [], plan: FaultPlan? = nil
  ) -> FaultReport {
    func archived(_ rows: [FaultPeer.Row]) -> [FaultPeer.Row] {
      rows.map { FaultPeer.Row(body: $0.body, from: $0.outgoing == true ? alice : bob) }
    }
    var report = FaultReport(
      plan: plan ?? FaultPlan(seed: 0, messages: rows.count, faults: 0), server: .prosody)
    report.examine(
      rows: rows, typed: [], arrived: arrived, own: archived(own), other: archived(other),
      author: alice)
    return report
  }

  @Test func `all that was said is there: clean`() {
    let all = [typed(0), came(0), typed(1), came(1)]
    let report = report(all, own: all, other: all)
    #expect(report.isClean, "\(report)")
  }

  @Test func `what came twice in one session was sent twice, whatever the archives have`() {
    let all = [typed(0), typed(1)]
    let texts = all.map(\.body)
    let twice = report(all, own: all, other: all, arrived: [[texts[0]: 2, texts[1]: 1]])
    #expect(twice.sentTwice == ["a-0. came twice in one session"] && !twice.isClean)
    #expect(report(all, own: all, other: all, arrived: [[texts[0]: 1], [texts[0]: 1]]).isClean)
  }

  @Test func `what is shown as failed and arrived is a fault, and what did not arrive is none`() {
    let all = [typed(0), typed(1, "failed"), typed(2, "failed")]
    let report = report(all, own: [all[0]], other: [all[0], all[1]])
    #expect(report.failed == 2)
    #expect(report.wronglyFailed == ["a-1."])
    #expect(!report.isClean)
    #expect(report.description.contains("shown as failed though it arrived: 1 (a-1.)"))
    #expect(self.report(all, own: [all[0]], other: [all[0]]).isClean)
  }

  @Test
  func `an own message that arrived and is not in the archive is reported as lost by the server`() {
    let all = [typed(0), typed(1)]
    let report = report(all, own: [all[0]], other: all)
    #expect(report.lostByServer == ["a-1. arrived and is not in the own archive"])
    #expect(report.lost.isEmpty)
    #expect(!report.isClean)
  }

  @Test func `a server may lose something where it is killed, and nowhere else`() throws {
    let plan = FaultPlan(seed: 1, messages: 5000, faults: 10)
    let position = try #require(plan.steps.first { $0.fault == .killServer }?.message)
    for (number, isClean) in [
      (position, true), (position - 200, true), (position + 100, true), (position - 201, false),
      (position + 101, false), (FaultRun.firstProbe + 1, true),
    ] {
      let all = [typed(number), came(number)]
      var report = report(all, own: [], other: [all[0]], plan: plan)
      #expect(report.lostByServer.count == 2)
      #expect(!report.isClean)
      report.serverKills = 1
      #expect(report.isClean == isClean, "\(number), killed before \(position)")
    }
  }

  @Test func `own messages in another order among others' are a fault`() {
    let all = [typed(0), came(0), typed(1), came(1)]
    let other = [came(0), typed(0), came(1), typed(1)]
    let report = report(all, own: other, other: other)
    #expect(!report.isClean)
    #expect(report.description.contains("out of order: 2"), "\(report)")
  }
}
