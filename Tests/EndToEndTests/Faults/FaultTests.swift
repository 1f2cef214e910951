import Foundation
import TestSupport
import Testing

/// Nothing lost, nothing doubled: one-to-one and in a room, while everything fails that can fail.
///
/// A failing run prints its seed; `NATTER_FAULT_SEED=SEED` runs that plan again. The long form is `natter-bench faults`.
@Suite(.requires(.ejabberd, .slixmpp, .openssl)) struct FaultTests {
  private static let seed =
    ProcessInfo.processInfo.environment["NATTER_FAULT_SEED"].flatMap { UInt64($0) } ?? 7

  // What always holds. The same plan still finds that messages are sent twice, stand in another order than the archive's,
  // or wait for a minute (with Prosody above all): `natter-bench faults` tells all of it. It is to be asked for here, with
  // `isClean` and on every server, once it holds.
  @Test(arguments: FaultServerKind.allCases, FaultScene.allCases)
  func `every message is stored once and none is lost, whatever breaks on the way`(
    kind: FaultServerKind, scene: FaultScene
  ) async throws {
    let plan = FaultPlan(seed: Self.seed, messages: 200, faults: 12)
    let report = try await FaultRun(plan, scene, on: kind).run()
    #expect(report.keepsEverything, "\(report)")
  }
}
