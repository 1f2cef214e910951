import Foundation
import TestSupport
import Testing

/// Nothing lost, nothing doubled: one-to-one, while everything fails that can fail.
///
/// A failing run prints its seed; `NATTER_FAULT_SEED=SEED` runs that plan again. The long form is `natter-bench faults`.
@Suite(.requires(.ejabberd, .slixmpp, .openssl)) struct FaultTests {
  private static let seed =
    ProcessInfo.processInfo.environment["NATTER_FAULT_SEED"].flatMap { UInt64($0) } ?? 7

  // ejabberd alone: with Prosody and the built-in server the same plan still finds faults (`natter-bench faults prosody`:
  // order across holes, waits of a minute; `built-in`: messages sent twice). Each is to come back here once it holds.
  @Test(arguments: [FaultServerKind.ejabberd])
  func `every message is there once and in order, whatever breaks on the way`(
    kind: FaultServerKind
  ) async throws {
    let plan = FaultPlan(seed: Self.seed, messages: 200, faults: 12)
    let report = try await FaultRun(plan, on: kind).run()
    #expect(report.isClean, "\(report)")
  }
}
