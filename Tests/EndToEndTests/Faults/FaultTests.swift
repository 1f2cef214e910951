import Foundation
import TestSupport
import Testing

/// Nothing lost, nothing doubled: one-to-one and in a room, while everything fails that can fail.
///
/// A failing run prints its seed; `NATTER_FAULT_SEED=SEED` runs that plan again. `FaultLongTests`
/// has more of each, `natter-bench faults` as much as wanted.
@Suite(.requires(.prosody, .ejabberd, .slixmpp, .openssl)) struct FaultTests {
  @Test(arguments: FaultServerKind.allCases, FaultScene.allCases)
  func `every message is stored once and none is lost, whatever breaks on the way`(
    kind: FaultServerKind, scene: FaultScene
  ) async throws {
    try await Self.plan(scene).holds(scene, on: kind)
  }

  /// A plan each; both kill the server and the client once.
  private static func plan(_ scene: FaultScene) -> FaultPlan {
    .ofTests(seed: scene == .direct ? 9 : 172, messages: 40, faults: 6)
  }

  @Test func `between them, the plans have every fault, and each kills both sides`() {
    let plans = FaultScene.allCases.map { Self.plan($0).steps.map(\.fault) }
    for faults in plans {
      #expect(faults.contains(.killServer) && faults.contains(.killClient))
    }
    // Without how long, after how many bytes or how often.
    let kinds = Set(
      plans.joined().map { fault in
        switch fault {
        case .cut(let direction, _): "cut \(direction)"
        case .stall, .stallOne, .delay: "slow"
        case .stallAndDrop: "slow, drop"
        case .halfClose: "half-close"
        case .refuse: "refuse"
        case .drop, .killServer, .killClient: "\(fault)"
        }
      })
    #expect(kinds.count == 9, "\(kinds.sorted())")
  }
}

@Suite(.requires(.prosody, .ejabberd, .slixmpp, .openssl), .long) struct FaultLongTests {
  @Test(arguments: FaultServerKind.allCases, FaultScene.allCases)
  func `of 200 messages each way every one is stored once, through twelve faults`(
    kind: FaultServerKind, scene: FaultScene
  ) async throws {
    try await FaultPlan.ofTests(seed: 7, messages: 200, faults: 12).holds(scene, on: kind)
  }
}

extension FaultPlan {
  /// - Parameters:
  ///   - seed: used where NATTER_FAULT_SEED names no other.
  ///   - messages: how many go each way.
  ///   - faults: how often something breaks.
  fileprivate static func ofTests(seed: UInt64, messages: Int, faults: Int) -> FaultPlan {
    let wanted = ProcessInfo.processInfo.environment["NATTER_FAULT_SEED"].flatMap { UInt64($0) }
    return FaultPlan(seed: wanted ?? seed, messages: messages, faults: faults)
  }

  /// Runs the plan; the test fails with the whole report where anything was lost, doubled or out of
  /// order.
  fileprivate func holds(_ scene: FaultScene, on kind: FaultServerKind) async throws {
    let report = try await FaultRun(self, scene, on: kind).run()
    #expect(report.isClean, "\(report)")
  }
}
