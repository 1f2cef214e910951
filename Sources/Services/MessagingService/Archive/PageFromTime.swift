import Diagnostics
import FoundationEssentials
import NatterCore
import XMPP

/// Fetches a page of a conversation that begins at a time, or at the beginning of the archive, as a
/// range of its own: what is missing between it and the others is a gap (flows.md, "Receiving").
struct PageFromTime: ArchivePart {
  let context: ArchiveContext
  let backfill: Backfill

  init(_ context: ArchiveContext, backfill: Backfill) {
    (self.context, self.backfill) = (context, backfill)
  }

  /// Fetches the page, unless the messages there are stored.
  /// - Parameter start: `nil`: the beginning of the archive.
  func fetch(from start: Date?, in conversation: JID) async throws -> HistoryOutcome {
    // Stored messages do not wait for other reading of the archive, such as a long catch-up.
    if try await isStored(start, in: conversation) { return .fetched }
    return try await backfill.fetching(conversation, isOnce: false) { archive, peer, channel in
      let coverage = try await ranges.coverage(of: archive, with: peer)
      guard let gap = Self.gap(at: start, in: coverage) else { return .fetched }
      guard let channel else { return .offline }
      if state.session.unreadable.contains(archive) { return .beginning }
      guard await owners.isReadable(archive) else { return .offline }
      let page = try await channel.archivePage(
        XEP0313Query(with: peer, start: start, .first, limit: ArchiveReader.pageSize),
        of: archive)
      guard let island = Self.island(in: page, from: start, gap) else { return .beginning }
      guard !island.results.isEmpty else { return .fetched }
      try await save(island, of: archive, with: peer, gap, reachesBeginning: start == nil)
      return .fetched
    }
  }

  private func isStored(_ start: Date?, in conversation: JID) async throws -> Bool {
    let (archive, peer) = await owners.point(of: conversation)
    do {
      let coverage = try await ranges.coverage(of: archive, with: peer)
      return Self.span(from: start, in: coverage)?.isThere ?? false
    } catch {
      throw NatterError(reporting: error, orElse: .storage, key: "error.storage.read")
    }
  }

  /// The known parts around a time that is in none of them.
  struct Gap: Hashable {
    let older: ArchiveCoverage.Span?
    let newer: ArchiveCoverage.Span
  }

  /// Returns the gap at a time; `nil` if that is in a known part, or after all of them: what is
  /// there is read by a catch-up.
  static func gap(at start: Date?, in coverage: ArchiveCoverage) -> Gap? {
    guard let newer = span(from: start, in: coverage), !newer.isThere else { return nil }
    let time = start ?? .distantPast
    return Gap(older: coverage.spans.last { $0.end.at < time }, newer: newer.span)
  }

  /// Returns the first known part that ends after a time, and whether the time is in it.
  private static func span(from start: Date?, in coverage: ArchiveCoverage) -> (
    span: ArchiveCoverage.Span, isThere: Bool
  )? {
    let time = start ?? .distantPast
    return coverage.spans.first { $0.end.at >= time }.map {
      ($0, $0.reachesBeginning || $0.start.at <= time)
    }
  }

  /// The part of a page that is in a gap.
  struct Island {
    let results: [XEP0313Result]
    /// Indicates whether the known part after the gap follows it.
    let isMet: Bool
  }

  /// Returns the part of a page that is in the gap; `nil` if the archive has nothing there, or
  /// ignores the time.
  static func island(in page: XEP0313Page, from start: Date?, _ gap: Gap) -> Island? {
    guard let first = page.results.first else { return nil }
    // An archive that ignores the time returns its beginning.
    if let start, first.stamp < start.addingTimeInterval(-ArchiveReader.stampTolerance) {
      return nil
    }
    let known = gap.newer.start
    if !known.id.isEmpty, let end = page.results.firstIndex(where: { $0.id == known.id }) {
      return Island(results: Array(page.results[..<end]), isMet: true)
    }
    return Island(results: Array(page.results.prefix { $0.stamp < known.at }), isMet: false)
  }

  private func save(
    _ island: Island, of archive: JID, with peer: JID?, _ gap: Gap, reachesBeginning: Bool
  ) async throws {
    let page = XEP0313Page(results: island.results, isComplete: false)
    let stamps = page.results.map(\.stamp)
    let (older, newer) = (gap.older?.end.at, gap.newer.start.at)
    let limit = island.isMet ? newer : ArchiveOrder.limit(before: newer, after: older)
    let wanted =
      older.map {
        ArchiveOrder.times(of: stamps, after: $0, before: limit, now: ports.now())
      } ?? ArchiveOrder.times(of: stamps, before: limit - ArchiveRange.step, now: ports.now())
    // In a gap that is too short for the page, it stays apart from what is known before it.
    let border = older.map { $0 + ArchiveRange.step } ?? .distantPast
    let times = wanted.map { max($0, border) }
    guard let first = page.oldest, let begin = times.first, let last = page.newest,
      let end = times.last
    else { return }
    // It begins the known part where it meets it, and is a range of its own otherwise.
    var range =
      island.isMet
      ? ranges.certain(ranges.extendable(gap.newer.first, for: peer))
      : ArchiveRange(
        archive: archive, peer: peer, start: ArchivePosition(id: first, at: begin),
        end: ArchivePosition(id: last, at: end), reachesBeginning: false)
    range.start = ArchivePosition(id: first, at: begin)
    range.reachesBeginning = reachesBeginning
    let stored = try await pages.save(
      page, times, making: range, as: .past, beginningWithFirst: true, isByTime: true)
    // The user asked for this page, not for all that is around it: it is fetched where they look.
    state.session.unfillable.insert(
      ArchiveCoverage.Hole.Key(row: gap.newer.first.row, peer: peer))
    state.session.unfillable.insert(ArchiveCoverage.Hole.Key(row: stored.row, peer: peer))
    ports.hub.publish(.archiveChanged(archive))
  }
}
