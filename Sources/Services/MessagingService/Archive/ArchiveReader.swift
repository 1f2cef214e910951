import FoundationEssentials
import NatterCore
import XML
import XMPP

/// The pages of archives, as servers return them: ids that they ignore, and clocks that are wrong.
///
/// Live messages have the time of this clock, which may have been hours off before it was set by
/// the network or by another system. If an id looked ignored for that, messages would be missed:
/// where the times that are stored here contradict the archive, it is asked itself. With archives
/// that take two ids at once (`mam:2#extended`, XEP-0313 §4.1.3), it is certain that a page ends
/// before the known messages, whatever the clocks say.
struct ArchiveReader {
  let state: ArchiveState

  static let pageSize = 100
  /// The difference that the server's clock and this machine's may have. Seconds.
  static let clockTolerance: TimeInterval = 7200
  /// Archives may round times to whole seconds; the database has microseconds.
  static let stampTolerance: TimeInterval = 1

  /// Returns what a page means that `walk` has asked for.
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

  /// Returns how a page that was read backwards meets what is known up to `point`.
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

  /// Returns the archive's time of what follows `point`; `nil`: nothing follows, or `point` is
  /// unknown.
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

  /// Returns the page before `point`; `nil` when the server does not go back.
  /// - Parameter floor: what lies before it is known: an archive that can leaves that out.
  func page(
    before point: ArchivePosition, after floor: ArchivePosition? = nil, limit: Int = Self.pageSize,
    of archive: JID, with peer: JID?, over channel: any StanzaChannel
  ) async throws -> XEP0313Page? {
    if let floor,
      let page = try await page(
        between: floor, and: point, of: archive, with: peer, over: channel)
    {
      return page
    }
    let position = point.id.isEmpty ? XEP0059Request.Position.last : .before(point.id)
    do {
      let page = try await channel.archivePage(
        XEP0313Query(with: peer, position, limit: limit), of: archive)
      let latest = point.at.addingTimeInterval(Self.clockTolerance)
      // The newest page instead of an older one: the id was ignored.
      guard !point.id.isEmpty, let last = page.results.last, last.stamp > latest else {
        return page
      }
      if let next = try await stamp(after: point, of: archive, over: channel),
        last.stamp <= next.addingTimeInterval(Self.stampTolerance)
      {
        return page
      }
    } catch let error as StanzaError where error.condition == .itemNotFound {}
    return try await ArchivePageByTime(archive: archive, peer: peer, channel: channel)
      .page(endingAt: point)
  }

  /// Returns the newest page between two positions of the archive, but not all of it; `nil` if the
  /// archive does not support that or know an id. Also `nil` for the last page or an empty one,
  /// which an archive returns for reversed positions, too: known messages give it a position.
  func page(
    between floor: ArchivePosition, and point: ArchivePosition, of archive: JID, with peer: JID?,
    over channel: any StanzaChannel
  ) async throws -> XEP0313Page? {
    guard !floor.id.isEmpty, !point.id.isEmpty, try await isExtended(archive, over: channel) else {
      return nil
    }
    do {
      // The page has an upper end: with an empty `<before/>` Prosody 0.12 ignores `before-id`.
      var page = try await channel.archivePage(
        XEP0313Query(
          with: peer, after: floor.id, .before(point.id), limit: Self.pageSize), of: archive)
      let ids = page.results.map(\.id)
      guard !page.isComplete, !ids.isEmpty, !ids.contains(floor.id), !ids.contains(point.id) else {
        return nil
      }
      page.isBounded = true
      return page
    } catch let error as StanzaError where !error.mayPass {
      return nil
    }
  }

  private func isExtended(_ archive: JID, over channel: any StanzaChannel) async throws -> Bool {
    if let known = state.session.extended[archive] { return known }
    do {
      let answer = try await channel.request(XEP0030Discovery.question(to: archive))
      let isOffered =
        XEP0030Discovery(answer: answer)?.features.contains(XEP0313Query.extended) == true
      state.session.extended[archive] = isOffered
      return isOffered
    } catch is StanzaError {
      state.session.extended[archive] = false
      return false
    }
  }
}
