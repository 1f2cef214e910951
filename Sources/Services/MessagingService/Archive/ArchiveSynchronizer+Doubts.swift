import FoundationEssentials
import NatterCore
import XMPP

/// Asking the archive itself where the times that are stored here contradict it.
///
/// Live messages have the time of this clock, which may have been hours off before it was set by
/// the network or by another system. If the id looked ignored for that, messages would be missed.
extension ArchiveSynchronizer {
  /// What a page means that `walk` has asked for.
  func step(
    _ walk: inout ArchiveWalk, to page: XEP0313Page, of archive: JID,
    over channel: any StanzaChannel
  ) async throws -> ArchiveWalk.Step {
    if walk.doubts(page, tolerance: Self.clockTolerance) {
      let beginning = try await channel.archivePage(XEP0313Query(.first, limit: 1), of: archive)
      if beginning.oldest != page.oldest { walk.trust() }
    }
    return walk.take(page, tolerance: Self.clockTolerance)
  }

  /// How a page that was read backwards meets what is known up to `point`.
  func contact(
    of page: XEP0313Page, with point: ArchivePosition, of archive: JID,
    over channel: any StanzaChannel
  ) async throws -> ArchiveContact {
    let contact = ArchiveContact(of: page, with: point, tolerance: Self.clockTolerance)
    // Seen on the page, it needs no clock.
    guard contact == .met, !page.results.contains(where: { $0.id == point.id }),
      let first = page.results.first,
      let next = try await stamp(after: point, of: archive, over: channel)
    else { return contact }
    return first.stamp <= next.addingTimeInterval(Self.stampTolerance) ? .met : .none
  }

  /// The archive's time of what follows `point`; `nil`: nothing follows, or `point` is unknown.
  func stamp(
    after point: ArchivePosition, of archive: JID, over channel: any StanzaChannel
  ) async throws -> Date? {
    guard !point.id.isEmpty else { return nil }
    do {
      let page = try await channel.archivePage(
        XEP0313Query(.after(point.id), limit: 1), of: archive)
      guard let next = page.results.first else { return nil }
      // An id that it ignores brings the archive's beginning.
      let beginning = try await channel.archivePage(XEP0313Query(.first, limit: 1), of: archive)
      return beginning.oldest == next.id ? nil : next.stamp
    } catch let error as StanzaError where error.condition == .itemNotFound {
      return nil
    }
  }
}
