import NatterCore
import XMPP

@testable import Storage

/// Stores pages of the account's archive, each with the part of it that is known then.
struct ArchiveParts {
  let store: ArchiveRangeStore

  static func position(_ id: String, at seconds: Double) -> ArchivePosition {
    ArchivePosition(id: id, at: Sample.date(seconds))
  }

  func store(
    _ messages: [IncomingMessage], making range: ArchiveRange, absorbing: [ArchiveRange] = [],
    adjoining: ArchiveAdjacency = .unknown
  ) async throws -> ArchiveRange {
    try await store.insert(
      messages, making: range, absorbing: absorbing, beginningWithFirst: false,
      adjoining: adjoining, countsUnread: { _ in true }
    ).range
  }

  func begin(at start: ArchivePosition) async throws -> ArchiveRange {
    try await store(
      [],
      making: ArchiveRange(
        archive: Sample.romeo.bare, start: start, end: start, reachesBeginning: false))
  }
}
