import Foundation
import TestSupport
import Testing

/// Nothing lost, nothing doubled: one-to-one and in a room, while everything fails that can fail.
///
/// A failing run prints its seed; `NATTER_FAULT_SEED=SEED` runs that plan again. The long form is `natter-bench faults`.
@Suite(.requires(.prosody, .ejabberd, .slixmpp, .openssl)) struct FaultTests {
  private static let seed =
    ProcessInfo.processInfo.environment["NATTER_FAULT_SEED"].flatMap { UInt64($0) } ?? 7

  @Test(arguments: FaultServerKind.allCases, FaultScene.allCases)
  func `every message is stored once and none is lost, whatever breaks on the way`(
    kind: FaultServerKind, scene: FaultScene
  ) async throws {
    let plan = FaultPlan(seed: Self.seed, messages: 200, faults: 12)
    let report = try await FaultRun(plan, scene, on: kind).run()
    #expect(report.isClean, "\(report)")
  }
}
