import Diagnostics
import FoundationEssentials
import NatterCore
import XMPP

/// Finds, counts and fills the gaps of archives (flows.md, "Receiving").
final class GapFiller: ArchivePart {
  let context: ArchiveContext
  private let offline: OfflineDeliveries
  private let catchUp: CatchUp
  private let backfill: Backfill
  /// Indicates whether gaps are being filled.
  private var isUnderWay = false

  init(
    _ context: ArchiveContext, offline: OfflineDeliveries, catchUp: CatchUp, backfill: Backfill
  ) {
    self.context = context
    self.offline = offline
    self.catchUp = catchUp
    self.backfill = backfill
  }

  func holes(in conversation: JID) async throws -> [HistoryHole] {
    do {
      let (archive, peer) = await owners.point(of: conversation)
      let coverage = try await ranges.coverage(of: archive, with: peer)
      let known = coverage.holes.map {
        HistoryHole(after: $0.older.end.at, before: $0.newer.start.at)
      }
      let unread = try await offline.unread(after: coverage, of: archive, in: conversation)
      return known + unreported(after: coverage, of: archive) + unread
    } catch {
      throw NatterError(reporting: error, orElse: .storage, key: "error.storage.read")
    }
  }

  func counted(_ hole: HistoryHole, in conversation: JID) async -> HistoryHole {
    guard let channel = state.session.channel else { return hole }
    let (archive, peer) = await owners.point(of: conversation)
    guard state.session.refusals[archive] == nil else { return hole }
    let query = XEP0313Query(with: peer, start: hole.after, end: hole.before, .last, limit: 1)
    // Without an answer the line says no number.
    guard let count = (try? await channel.archivePage(query, of: archive))?.count else {
      return hole
    }
    // The two ends, which are known, are among them.
    return HistoryHole(after: hole.after, before: hole.before, count: count > 2 ? count - 2 : nil)
  }

  func fetchMissing(in hole: HistoryHole, of conversation: JID) async throws
    -> HistoryOutcome
  {
    if let answer = await catchUp.askedAgain(owners.point(of: conversation).archive) {
      return answer
    }
    return try await backfill.fetching(conversation) { archive, peer, channel in
      let coverage = try await ranges.coverage(of: archive, with: peer)
      guard let hole = coverage.hole(at: hole.after) else {
        let unread = try await offline.unread(after: coverage, of: archive, in: conversation)
        guard unread.contains(where: { $0.after == hole.after }) else { return .fetched }
        // A catch-up fills it, and goes on by itself. After a failed one, only the user's look at
        // the gap starts another: otherwise it would start over and over.
        if catchUp.retry.ask(at: ports.now()) { state.wakeUp() }
        return .offline
      }
      guard let channel, await owners.isReadable(archive) else { return .offline }
      return try await fill(hole, of: archive, with: peer, over: channel) ? .fetched : .beginning
    }
  }

  /// Fills the gaps of the followed archives, the newest first and a page at a time, until none is
  /// left that the server fills, or the connection ends.
  func fillAll() async {
    guard !isUnderWay else { return }
    isUnderWay = true
    defer { isUnderWay = false }
    struct Question: Hashable {
      let archive: JID
      let peer: JID?
      let before: ArchivePosition
    }
    var asked: Set<Question> = []
    var look = Look(reasons: state.reasons)
    while !Task.isCancelled, let channel = state.session.channel {
      do {
        if look.reasons != state.reasons { look = Look(reasons: state.reasons) }
        guard let (point, hole) = try await newestHole(in: &look) else { return }
        // The same page again brings nothing new: whatever the fault is, this must end.
        let question = Question(
          archive: point.archive, peer: point.peer, before: hole.newer.start)
        guard !asked.contains(question) else {
          ports.log.warning("a hole in an archive does not get smaller")
          state.session.unfillable.insert(hole.key(with: point.peer))
          continue
        }
        var isSmaller = false
        do {
          let result = try await state.inbox.run(in: .reading(point.archive)) {
            () async throws -> Bool? in
            let coverage = try await ranges.coverage(of: point.archive, with: point.peer)
            guard let hole = coverage.hole(like: hole) else { return nil }
            return try await fill(hole, of: point.archive, with: point.peer, over: channel)
          }
          // Another request has filled it meanwhile.
          guard let result else { continue }
          isSmaller = result
        } catch let error as StanzaError {
          // The next session tries again.
          ports.log.info("a hole in an archive stays open: \(error.condition.rawValue)")
        }
        asked.insert(question)
        if !isSmaller { state.session.unfillable.insert(hole.key(with: point.peer)) }
      } catch {
        ports.log.info("holes in archives stay open for now: \(error)")
        return
      }
    }
  }

  /// One look for gaps, until there is another reason for one: what has none is not looked at
  /// again after each page.
  private struct Look {
    let reasons: Int
    /// The archives without a gap.
    var whole: Set<JID> = []
    /// The beginning of what is known of the account's archive.
    var first: ArchiveCoverage.Span?
    /// The conversations that may have a gap of their own; `nil`: not read yet.
    var conversations: ArraySlice<JID>?
  }

  private func newestHole(in look: inout Look) async throws -> (
    point: (archive: JID, peer: JID?), hole: ArchiveCoverage.Hole
  )? {
    var newest: (point: (archive: JID, peer: JID?), hole: ArchiveCoverage.Hole)?
    for (archive, reading) in state.session.open
    where (reading.live != nil || !reading.isFollowed) && !look.whole.contains(archive) {
      let coverage = try await ranges.coverage(of: archive, with: nil)
      if archive == ports.account { look.first = coverage.spans.first }
      guard let hole = coverage.newestHole(except: state.session.unfillable, with: nil) else {
        look.whole.insert(archive)
        continue
      }
      if let newest, newest.hole.newer.start.at >= hole.newer.start.at { continue }
      newest = ((archive, nil), hole)
    }
    if let newest { return newest }
    guard state.session.open[ports.account]?.live != nil, let first = look.first,
      !first.reachesBeginning
    else { return nil }
    // What was received before the archive was ever read, conversation by conversation.
    if look.conversations == nil {
      look.conversations = try await ports.store.conversations(receivedBefore: first.start.at)[...]
    }
    var rest = look.conversations ?? []
    defer { look.conversations = rest }
    while let conversation = rest.first {
      if await owners.point(of: conversation).archive == ports.account,
        let hole = try await ranges.coverage(of: ports.account, with: conversation)
          .newestHole(except: state.session.unfillable, with: conversation)
      {
        return ((ports.account, conversation), hole)
      }
      rest.removeFirst()
    }
    return nil
  }

  /// Reads the page before the hole's newer side.
  /// - Returns: whether the hole is smaller now, or gone.
  private func fill(
    _ hole: ArchiveCoverage.Hole, of archive: JID, with peer: JID?, over channel: any StanzaChannel
  ) async throws -> Bool {
    let floor = GapPage.isLoose(hole) ? nil : hole.older.end
    guard
      let page = try await reader.page(
        before: hole.newer.start, after: floor, of: archive, with: peer, over: channel)
    else { return false }
    let contact =
      page.isBounded
      ? .none
      : try await reader.contact(of: page, with: hole.older.end, of: archive, over: channel)
    guard var gap = GapPage(page, of: hole, contact: contact) else { return false }
    if gap.mayMeetRanges { gap.meet(try await ports.store.ranges(of: archive, with: peer)) }
    let end =
      gap.followsOlderRange
      ? try await ranges.coverage(of: archive, with: peer).end(before: hole) : nil
    let plan = gap.plan(
      making: ranges.certain(ranges.extendable(hole.newer.first, for: peer)), after: end,
      now: ports.now())
    let range = try await pages.save(
      page, plan.times, making: plan.range, absorbing: plan.absorbed,
      as: .missed(since: hole.older.end.at), beginningWithFirst: plan.beginsWithFirst,
      isByTime: page.isByTime)
    ports.hub.publish(.archiveChanged(archive))
    return gap.isSmaller(with: range)
  }

  /// Returns what is missing after all that is known, as long as no live message follows it.
  func unreported(after coverage: ArchiveCoverage, of archive: JID) -> [HistoryHole] {
    guard state.session.refusals[archive] != nil, let reading = state.session.open[archive],
      reading.island == nil,
      let end = coverage.spans.last?.end.at
    else { return [] }
    return [HistoryHole(after: end, before: max(reading.border, end + ArchiveOrder.gap))]
  }
}
