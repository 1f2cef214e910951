import Diagnostics
import FoundationEssentials
import NatterCore
import XMPP

/// The ranges of archives that are known, and the end of the newest, which live messages move.
struct RangeTracker {
  let ports: ArchivePorts
  let state: ArchiveState

  /// If the end's position is lost, no more than this many messages are read again.
  static let unstoredLimit = 50

  /// Notes live messages of `archive` from here on.
  func begin(_ archive: JID, isFollowed: Bool, visit: Int?) {
    state.session.open[archive] = OpenArchive(
      number: state.nextReading(), visit: visit, connection: state.connections, begun: ports.now(),
      border: ports.now(),
      isFollowed: isFollowed)
  }

  /// Returns whether a range may begin with `stanza`: not with a message that is stored already and
  /// arrives again because no ack was received (XEP-0198 §5). Its position is in the middle of a
  /// range.
  func isNew(_ stanza: MessageStanza, in archive: JID) async -> Bool {
    guard let reading = state.session.open[archive], reading.beginsIsland, stanza.delay == nil,
      let id = stanza.stanzaID(by: archive)
    else { return true }
    if reading.read.contains(id) { return false }
    do {
      guard let time = try await ports.store.storedTime(of: id, in: archive) else {
        return !state.session.isTakenUp
      }
      // A local message is known since it was written: a room reflects it in this visit.
      return time >= reading.begun || archive != ports.account && isOwn(stanza, in: archive)
    } catch {
      ports.log.warning("whether a message is new could not be read: \(error)")
      return false
    }
  }

  private func isOwn(_ stanza: MessageStanza, in archive: JID) -> Bool {
    if archive == ports.account { return stanza.from?.bare == ports.account }
    return state.session.visited[archive]?.isOwn(
      nick: stanza.from?.resource, occupantID: stanza.occupantID)
      == true
  }

  /// - Returns: whether it moved a range's end.
  func note(_ stanza: MessageStanza, in archive: JID, at time: Date) -> Bool {
    // A message that arrives late belongs before the end.
    guard state.session.open[archive]?.isFollowed == true else { return false }
    if let stamp = stanza.heldBack(by: ports.account)?.stamp {
      state.session.open[archive]?.noteOffline(stamp, deliveredAt: time)
    }
    guard stanza.delay == nil, let id = stanza.stanzaID(by: archive) else { return false }
    // What follows a range comes after the last remote message: local ones are no anchor.
    let isAnchor = stanza.isStored && !isOwn(stanza, in: archive)
    state.session.open[archive]?.noteLive(id, at: time, isAnchor: isAnchor, in: archive)
    return true
  }

  /// Stores the end that live messages have moved, if the last time was long ago.
  func storeMovedEnd(of archive: JID) async {
    let isNewIsland = state.session.open[archive]?.island.map { $0.row == nil } ?? false
    if isNewIsland || state.session.open[archive]?.unstored ?? 0 >= Self.unstoredLimit {
      await storeEnd(of: archive)
    }
    // What was missed before it has two sides now.
    if isNewIsland, state.session.refusals[archive] != nil {
      ports.hub.publish(.archiveChanged(archive))
    }
  }

  /// Stores the end of the newest range of `archive`, as far as that is certain.
  func storeEnd(of archive: JID) async {
    await state.inbox.run(in: .writing(archive)) { await writeEnd(of: archive) }
  }

  /// Runs in the lane of the writes.
  func writeEnd(of archive: JID) async {
    guard let reading = state.session.open[archive], let range = reading.rangeToStore else {
      return
    }
    state.session.open[archive]?.storesEnd()
    do {
      let stored = try await ports.store.save(range)
      guard state.session.open[archive]?.number == reading.number,
        state.session.open[archive]?.live == nil
      else { return }
      state.session.open[archive]?.noteIslandRow(stored.row)
    } catch {
      // Then these messages are read once more, and known.
      ports.log.warning("the end of what is known of an archive could not be stored: \(error)")
    }
  }

  // MARK: - What is known

  /// Returns what is known of a conversation.
  func coverage(of archive: JID, with peer: JID?) async throws -> ArchiveCoverage {
    var ranges = try await ports.store.ranges(of: archive, with: nil)
    if let live = state.session.open[archive]?.live,
      let index = ranges.firstIndex(where: { $0.row == live.row })
    {
      ranges[index].end = live.end
    }
    if let peer { ranges += try await ports.store.ranges(of: archive, with: peer) }
    var coverage = ArchiveCoverage(ranges)
    guard let conversation = archive == ports.account ? peer : archive else { return coverage }
    // A session that ended too soon to read the archive may leave a gap after its messages.
    let gaps = coverage.gaps
    let positions = try await ports.store.newestReceived(
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

  /// Returns the range that begins what is known of the conversation's past; `nil` when that is
  /// all.
  func past(of archive: JID, with peer: JID?) async throws -> ArchiveRange? {
    let spans = try await coverage(of: archive, with: peer).spans
    guard let first = spans.first(where: { $0.first.row != nil }) else {
      let point = ArchivePosition(id: "", at: ports.now())
      return ArchiveRange(
        archive: archive, peer: peer, start: point, end: point, reachesBeginning: false)
    }
    guard !first.reachesBeginning else { return nil }
    return extendable(first.first, for: peer)
  }

  /// Returns the range to put pages in that come before `range`: itself, or one of the
  /// conversation's own.
  func extendable(_ range: ArchiveRange, for peer: JID?) -> ArchiveRange {
    range.peer == peer
      ? range
      : ArchiveRange(
        archive: range.archive, peer: peer, start: range.start, end: range.start,
        reachesBeginning: false)
  }

  /// Returns `range` with the end that live messages have moved it to, as far as that is certain.
  func certain(_ range: ArchiveRange) -> ArchiveRange {
    state.session.open[range.archive]?.certain(range) ?? range
  }
}

extension ArchiveStoring {
  /// Stores a range without messages.
  /// - Parameter absorbed: stored ranges that it includes: they are removed.
  /// - Returns: the range with its row.
  func save(_ range: ArchiveRange, absorbing absorbed: [ArchiveRange] = []) async throws
    -> ArchiveRange
  {
    try await insert(
      [], making: range, absorbing: absorbed, beginningWithFirst: false, adjoining: .unknown
    ) { _ in false }.range
  }
}
