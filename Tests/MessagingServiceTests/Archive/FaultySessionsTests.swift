import Foundation
import Storage
import TestSupport
import Testing

@testable import MessagingService

/// Sessions that break at any moment, sent again, late or never: in the end everything is there, in
/// the archive's order, and nothing is taken for complete before it is (flows.md, "Receiving").
///
/// The first seeds of each kind, and those that have found a fault; the long tests have all others.
@Suite struct FaultySessionsTests {
  @Test(
    arguments: Array(1...2) + [21, 27, 32, 36, 48, 71, 74, 90, 104, 120, 127, 131, 147, 293, 294])
  func `sessions that break leave everything once, in the archive's order`(seed: UInt64)
    async throws
  {
    try await FaultyLife(.breaking, seed: seed).isLived(seed)
  }

  /// The same with an archive that takes two ids at once.
  @Test(arguments: 1...4)
  func `nor does an archive that reads between two positions lose or disorder anything`(
    seed: UInt64
  )
    async throws
  {
    try await FaultyLife(.extended, seed: seed).isLived(seed)
  }

  /// The same where much is said at once, and the line breaks while what came live is compared with
  /// the archive.
  @Test(arguments: Array(1...2) + [26, 31, 49, 78, 92, 104, 118, 310])
  func `nor does a line that breaks in the middle of a comparison`(seed: UInt64) async throws {
    try await FaultyLife(.breakingComparisons, seed: seed).isLived(seed)
  }

  /// The same, some of it at once, where the server has what was typed, and does not get to say so.
  @Test(arguments: Array(1...2) + [37, 122, 161, 345])
  func `nor does a server whose answers get lost`(seed: UInt64) async throws {
    try await FaultyLife(.losingAnswers, seed: seed).isLived(seed)
  }

  /// The same with a server that hands over what it has kept in parts, while its archive is read.
  @Test(arguments: Array(1...2) + [30, 44, 53, 110, 135, 171])
  func `nor does a server that hands over what it has kept beside its archive`(seed: UInt64)
    async throws
  {
    try await FaultyLife(.handingOver, seed: seed).isLived(seed)
  }

  /// The same with many messages between a session's beginning and the archive's answers, which
  /// contain them before they arrive.
  @Test(arguments: Array(1...2) + [23, 42, 46, 73, 79, 91, 134, 167, 326, 355])
  func `nor does what is said while the archive is read`(seed: UInt64) async throws {
    try await FaultyLife(.talking, seed: seed).isLived(seed)
  }

  /// The same where things are on their way for a while, and what was not acknowledged comes again
  /// behind what is newer.
  @Test(arguments: Array(1...3) + [341])
  func `nor does a line that is slow and a server that sends again behind what is newer`(
    seed: UInt64
  ) async throws {
    try await FaultyLife(.slow, seed: seed).isLived(seed)
  }

  /// The same where a gap takes many pages: those that are known between others keep their order.
  @Test(arguments: [(FaultyLife.Kind.losingAnswers, 8 as UInt64), (.slow, 14)])
  func `nor does a server whose pages are small`(kind: FaultyLife.Kind, seed: UInt64) async throws {
    let life = try await FaultyLife(kind, seed: seed)
    await life.limitPages(to: 3)
    try await life.isLived(seed)
  }
}

/// The same with many seeds.
@Suite(.long) struct FaultySessionsLongTests {
  @Test(arguments: FaultyLife.Kind.allCases)
  func `five hundred lives of each kind leave everything once, in the archive's order`(
    kind: FaultyLife.Kind
  ) async throws {
    for seed in 1...500 as ClosedRange<UInt64> {
      try await FaultyLife(kind, seed: seed).isLived(seed)
    }
  }

  @Test(arguments: FaultyLife.Kind.allCases, [2, 3])
  func `nor do pages that are small`(kind: FaultyLife.Kind, limit: Int) async throws {
    for seed in 1...15 as ClosedRange<UInt64> {
      let life = try await FaultyLife(kind, seed: seed)
      await life.limitPages(to: limit)
      try await life.isLived(seed)
    }
  }
}

extension FaultyLife {
  /// The fault of a life.
  enum Kind: CaseIterable {
    /// Sessions break.
    case breaking
    /// The archive takes two ids at once.
    case extended
    /// The line breaks while what came live is compared with the archive.
    case breakingComparisons
    /// The server has what was typed, and does not get to say so.
    case losingAnswers
    /// The server hands over what it has kept in parts.
    case handingOver
    /// Much is said while the archive is read.
    case talking
    /// Things are on their way for a while.
    case slow
  }

  fileprivate convenience init(_ kind: Kind, seed: UInt64) async throws {
    let (isExtended, isPrecise) = (seed % 2 == 0, seed % 3 != 0)
    switch kind {
    case .breaking: try await self.init(seed: seed)
    case .extended: try await self.init(seed: seed, isExtended: true)
    case .breakingComparisons:
      try await self.init(
        seed: seed, isExtended: isExtended, isPrecise: isPrecise, breaksComparisons: true)
    case .losingAnswers:
      try await self.init(
        seed: seed, isExtended: isExtended, handsOverInParts: seed % 4 == 1,
        isPrecise: !isPrecise, breaksComparisons: seed % 5 < 2, talksMeanwhile: seed % 7 < 2,
        losesAnswers: true)
    case .handingOver: try await self.init(seed: seed, handsOverInParts: true)
    case .talking:
      try await self.init(
        seed: seed, isExtended: isExtended, isPrecise: isPrecise, talksMeanwhile: true)
    case .slow:
      try await self.init(
        seed: seed, isExtended: isExtended, isPrecise: isPrecise, breaksComparisons: seed % 5 < 2,
        talksMeanwhile: seed % 7 < 2, losesAnswers: seed % 3 == 1, isSlow: true)
    }
  }

  fileprivate func isLived(_ seed: UInt64) async throws {
    for _ in 0..<60 { try await goesOn() }
    try await settles()
    #expect(try await isComplete(), "seed \(seed)")
    let disorder = try await disorder()
    #expect(disorder == [], "seed \(seed)")
    #expect(try await fixture.database.faults() == [])
  }
}
