import Foundation
import Storage
import TestSupport
import Testing

@testable import MessagingService

/// Sessions that break at any moment, sent again, late or never: in the end everything is there, in the archive's order, and
/// nothing is taken for complete before it is (flows.md, "Receiving").
@Suite struct FaultySessionsTests {
  @Test(
    arguments: Array(1...12) + [21, 27, 32, 36, 48, 71, 74, 90, 104, 120, 127, 131, 147, 293, 294])
  func `sessions that break leave everything once, in the archive's order`(seed: UInt64)
    async throws
  {
    let life = try await FaultyLife(seed: seed)
    try await life.isLived(seed)
  }

  /// The same with an archive that takes two ids at once.
  @Test(arguments: 1...16)
  func `nor does an archive that reads between two places lose or disorder anything`(seed: UInt64)
    async throws
  {
    try await FaultyLife(seed: seed, isExtended: true).isLived(seed)
  }

  /// The same where much is said at once, and the line breaks while what came live is compared with the archive.
  @Test(arguments: Array(1...9) + [26, 31, 49, 78, 92, 104, 118, 310])
  func `nor does a line that breaks in the middle of a comparison`(seed: UInt64) async throws {
    try await FaultyLife(
      seed: seed, isExtended: seed % 2 == 0, isPrecise: seed % 3 != 0, breaksComparisons: true
    ).isLived(seed)
  }

  /// The same, some of it at once, where the server has what was typed, and does not get to say so.
  @Test(arguments: Array(1...12) + [37, 122, 345])
  func `nor does a server whose answers get lost`(seed: UInt64) async throws {
    try await FaultyLife(
      seed: seed, isExtended: seed % 2 == 0, handsOverInParts: seed % 4 == 1,
      isPrecise: seed % 3 == 0, breaksComparisons: seed % 5 < 2, talksMeanwhile: seed % 7 < 2,
      losesAnswers: true
    ).isLived(seed)
  }

  /// The same with a server that hands over what it has kept in parts, while its archive is read.
  @Test(arguments: Array(1...16) + [30, 44, 53, 110, 135, 171])
  func `nor does a server that hands over what it has kept beside its archive`(seed: UInt64)
    async throws
  {
    try await FaultyLife(seed: seed, handsOverInParts: true).isLived(seed)
  }

  /// The same with many messages between a session's beginning and the archive's answers, which
  /// contain them before they arrive.
  @Test(arguments: Array(1...12) + [23, 42, 46, 73, 79, 91, 134, 167, 326, 355])
  func `nor does what is said while the archive is read`(seed: UInt64) async throws {
    try await FaultyLife(
      seed: seed, isExtended: seed % 2 == 0, isPrecise: seed % 3 != 0, talksMeanwhile: true
    ).isLived(seed)
  }

  /// The same where things are on their way for a while, and what was not acknowledged comes again behind what is newer.
  @Test(arguments: Array(1...20) + [341])
  func `nor does a line that is slow and a server that sends again behind what is newer`(
    seed: UInt64
  ) async throws {
    try await FaultyLife(
      seed: seed, isExtended: seed % 2 == 0, isPrecise: seed % 3 != 0,
      breaksComparisons: seed % 5 < 2, talksMeanwhile: seed % 7 < 2, losesAnswers: seed % 3 == 1,
      isSlow: true
    ).isLived(seed)
  }
}

extension FaultyLife {
  fileprivate func isLived(_ seed: UInt64) async throws {
    for _ in 0..<60 { try await goesOn() }
    try await settles()
    #expect(try await isComplete(), "seed \(seed)")
    let disorder = try await disorder()
    #expect(disorder == [], "seed \(seed)")
    #expect(try await fixture.database.faults() == [])
  }
}
