import Diagnostics
import FoundationEssentials
import NatterCore
import XMPP

/// Going back beyond what the database holds.
extension ArchiveSynchronizer: HistoryFetching {
  /// Pages without anything to show (receipts only) that are passed over in one go.
  private static let barrenPageLimit = 10

  package func fetchOlder(in conversation: JID) async throws -> HistoryOutcome {
    try await fetchOlder(in: conversation, limit: Self.pageSize)
  }

  /// - Parameter limit: how many messages a page has.
  func fetchOlder(in conversation: JID, limit: Int) async throws -> HistoryOutcome {
    let (archive, peer) = await point(of: conversation)
    if refusals[archive] != nil, try await past(of: archive, with: peer) != nil,
      let answer = await askedAgain(archive)
    {
      return answer
    }
    return try await fetching(conversation) { archive, peer, channel in
      guard var range = try await past(of: archive, with: peer) else { return .beginning }
      guard let channel else { return .offline }
      if unreadable.contains(archive) { return .beginning }
      guard await isReadable(archive) else { return .offline }
      for _ in 0..<Self.barrenPageLimit {
        guard
          let page = try await page(
            before: range.start, limit: limit, of: archive, with: peer, over: channel)
        else { return .beginning }
        let times = ArchiveOrder.times(
          of: page.results.map(\.stamp), before: range.start.at, now: now())
        if range.row == nil, peer == nil, let newest = page.newest {
          // The archive was unknown: this is its newest page, and later messages are not known yet.
          range.end = ArchivePosition(id: newest, at: times.last ?? range.end.at)
        }
        range.reachesBeginning = page.isComplete || page.isEmpty(beyond: range.start.id)
        range.start = ArchivePosition(
          id: page.oldest ?? range.start.id, at: times.first ?? range.start.at)
        let room = await view(of: archive)
        let rooms = await rooms(in: page, of: archive)
        let hasText = page.results.contains {
          guard
            let message = IncomingMessage(
              $0, of: archive, account: account, in: room, rooms: rooms)
          else { return false }
          // A server may take an occupant JID for that of the room.
          return message.conversation == peer ?? archive
        }
        range = try await save(
          page, times, making: newest(range), as: .past,
          isByTime: page.isByTime)
        if hasText { return .fetched }
        if range.reachesBeginning { return .beginning }
      }
      return .fetched
    }
  }

  /// Runs `body` with the archive of `conversation`, once at a time, and maps its errors.
  func fetching(
    _ conversation: JID,
    _ body: (
      _ archive: JID, _ peer: JID?, _ channel: (any StanzaChannel)?
    ) async throws -> HistoryOutcome
  ) async throws -> HistoryOutcome {
    guard fetching.insert(conversation).inserted else { return .offline }
    defer { fetching.remove(conversation) }
    let (archive, peer) = await point(of: conversation)
    do {
      let outcome = try await queued(of: archive) {
        // Offline messages are new, and have to come before the archive returns them.
        let isEarly = archive == account && !hasStarted
        return try await body(archive, peer, isEarly ? nil : channel)
      }
      if outcome != .offline { silentConnection = nil }
      return outcome
    } catch is ChannelError {
      return .offline
    } catch let error as StanzaError {
      log.warning("history could not be fetched: \(error.condition.rawValue)")
      return error.mayPass ? .offline : outcome(of: error, at: archive)
    } catch let error as CancellationError {
      throw error
    } catch {
      throw NatterError(reporting: error, orElse: .storage, key: "error.storage.write")
    }
  }

  /// The archive of a conversation, and its address there; `nil`: the archive is all about it.
  func point(of conversation: JID) async -> (archive: JID, peer: JID?) {
    let jid = conversation.bare
    if visited[jid] == nil {
      guard await isRoom(jid) else { return (account, jid) }
    }
    // Private messages of an occupant are in the account's archive (XEP-0045 §7.5).
    return conversation.isBare ? (jid, nil) : (account, conversation)
  }

  /// What is known of a conversation.
  func coverage(of archive: JID, with peer: JID?) async throws -> ArchiveCoverage {
    var ranges = try await store.ranges(of: archive, with: nil)
    if let live = open[archive]?.live, let index = ranges.firstIndex(where: { $0.row == live.row })
    {
      ranges[index].end = live.end
    }
    if let peer { ranges += try await store.ranges(of: archive, with: peer) }
    var coverage = ArchiveCoverage(ranges)
    guard let conversation = archive == account ? peer : archive else { return coverage }
    // A session that ended too soon to read the archive may leave a gap after its messages.
    let gaps = coverage.gaps
    let positions = try await store.newestReceived(
      in: conversation,
      between: gaps.map { (after: $0.older?.end.at ?? .distantPast, before: $0.newer.start.at) })
    for case (let point?, let (older, newer)) in zip(positions, gaps).reversed()
    where older.map({ !ArchiveCoverage.areOne($0.end, point) }) ?? true {
      coverage.insert(
        ArchiveRange(
          archive: archive, peer: peer, start: point, end: point, reachesBeginning: false),
        before: newer)
    }
    return coverage
  }

  /// The range that begins what is known of the conversation's past; `nil` when that is all.
  func past(of archive: JID, with peer: JID?) async throws -> ArchiveRange? {
    let spans = try await coverage(of: archive, with: peer).spans
    guard let first = spans.first(where: { $0.first.row != nil }) else {
      let point = ArchivePosition(id: "", at: now())
      return ArchiveRange(
        archive: archive, peer: peer, start: point, end: point, reachesBeginning: false)
    }
    guard !first.reachesBeginning else { return nil }
    return extendable(first.first, for: peer)
  }

  /// The range to put pages in that come before `range`: itself, or one of the conversation's own.
  func extendable(_ range: ArchiveRange, for peer: JID?) -> ArchiveRange {
    range.peer == peer
      ? range
      : ArchiveRange(
        archive: range.archive, peer: peer, start: range.start, end: range.start,
        reachesBeginning: false)
  }

  /// `range` with the end that live messages have moved it to, as far as that is certain.
  func newest(_ range: ArchiveRange) -> ArchiveRange {
    open[range.archive]?.certain(range) ?? range
  }

  /// The page before `point`; `nil` when the server does not go back.
  /// - Parameter floor: what lies before it is known: an archive that can leaves that out.
  func page(
    before point: ArchivePosition, after floor: ArchivePosition? = nil, limit: Int = pageSize,
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
}
