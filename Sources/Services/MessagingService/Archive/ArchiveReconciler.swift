import Diagnostics
import FoundationEssentials
import NatterCore
import XMPP

/// Compares what came live with the archive, some seconds after a connection came about.
///
/// While a server moves a session from a broken connection to the next one, what it delivers at
/// that moment can get lost or change its order: then only the archive has it (server-quirks.md,
/// "Clusters"). Live messages that follow are no proof that it arrived. Nor is the order known of
/// local messages and those that arrive while one is sent.
final class ArchiveReconciler: ArchivePart {
  let context: ArchiveContext
  /// Indicates whether a task waits for the newest connection to settle.
  private var isSettling = false

  init(_ context: ArchiveContext) { self.context = context }

  /// The time that servers may be busy with the connection before.
  private static let settling = Duration.seconds(3)
  /// More pages than that wait until other tasks had access.
  private static let checkedPages = 50

  func connectionOpened() async {
    state.connections += 1
    // Like the code that stores what arrives.
    _ = state.arrivals.next(1, now: ports.now())
    for archive in state.session.open.keys
    where state.session.open[archive]?.connectionOpened() == true {
      await ranges.storeEnd(of: archive)
    }
  }

  /// Returns whether a task has to run `check()`.
  func takesUpCheck() -> Bool {
    guard !isSettling, state.session.open.values.contains(where: \.isToCompare) else {
      return false
    }
    isSettling = true
    return true
  }

  /// Waits until the connection is some seconds old, and reads what came in the meantime.
  func check() async {
    defer { isSettling = false }
    var seen: Int
    repeat {
      seen = state.connections
      do { try await ports.sleep(Self.settling) } catch { return }
    } while seen != state.connections
    var goesOn = false
    for (archive, reading) in state.session.open where reading.isToCompare {
      if await check(archive, reading.number) { goesOn = true }
    }
    // Another connection has begun meanwhile, and no task handles that.
    if goesOn || seen != state.connections { state.wakeUp() }
  }

  /// - Returns: whether there is more to compare.
  private func check(_ archive: JID, _ number: Int) async -> Bool {
    await takeUpCrossing(in: archive)
    guard let channel = state.session.channel,
      let unchecked = state.session.open[archive]?.unchecked,
      state.session.open[archive]?.live != nil
    else {
      return false
    }
    let connection = state.connections
    var comparison = ArchiveComparison(from: unchecked)
    var isLong = true
    do {
      // All pages in one go: another page in between could move the position to go on from.
      try await state.inbox.run(in: .reading(archive)) {
        for _ in 0..<Self.checkedPages {
          isLong = try await compare(&comparison, with: archive, number, over: channel)
          if !isLong { break }
        }
      }
    } catch let error as StanzaError where !error.mayPass {
      ports.log.info("what came live cannot be compared with the archive: \(error)")
      (comparison.isOver, isLong) = (false, false)
    } catch {
      // The next session reads on from where it got to.
      ports.log.info("what came live is not compared with the archive for now: \(error)")
      return false
    }
    // Another session, visit or connection began, of which the archive may not have reported yet.
    guard state.session.open[archive]?.number == number, state.connections == connection else {
      return false
    }
    switch state.session.open[archive]?.endCheck(
      isLong: isLong, isOver: comparison.isOver, isOwn: archive == ports.account)
    {
    case .goesOn: return true
    case .ended, nil: return false
    case .compared:
      await ranges.storeEnd(of: archive)
      return state.session.open[archive]?.crossed.isEmpty == false
    }
  }

  /// Compares one page.
  /// - Returns: whether there are more.
  private func compare(
    _ comparison: inout ArchiveComparison, with archive: JID, _ number: Int,
    over channel: any StanzaChannel
  ) async throws -> Bool {
    guard state.session.open[archive]?.number == number, state.session.open[archive]?.live != nil
    else { return false }
    let page: XEP0313Page
    do {
      page = try await channel.archivePage(
        comparison.walk.query(limit: ArchiveReader.pageSize), of: archive)
    } catch let error as StanzaError where error.condition == .itemNotFound {
      return comparison.walk.restartFromTime(tolerance: ArchiveReader.clockTolerance)
    }
    switch try await reader.step(&comparison.walk, to: page, of: archive, over: channel) {
    case .restart: return true
    case .lost: return false
    case .next, .last: break
    }
    guard state.session.open[archive]?.number == number,
      var range = state.session.open[archive]?.live
    else { return false }
    guard let times = comparison.take(page, now: ports.now()) else { return !comparison.isOver }
    let (checked, ids) = (comparison.checked, comparison.ids)
    range.end = checked
    // What came live may be after the page.
    range.anchor = nil
    range = try await pages.save(
      page, times, making: range, as: .news(since: comparison.since),
      isByTime: comparison.walk.isByTime
    ) { stored in
      // In the same access: another write of the end would put it back before the page.
      guard state.session.open[archive]?.number == number else { return }
      state.session.open[archive]?.noteCompared(stored, upTo: checked, returning: ids)
    }
    comparison.noteStored(upTo: range.end.at)
    return !comparison.isOver && state.session.open[archive]?.number == number
  }

  // MARK: - Messages that crossed

  /// The age up to which the start looks for local messages without a known position. Seconds.
  private static let crossingReach: TimeInterval = 2 * 86400

  /// Looks for messages that crossed one of `messages`, of which some may be at the server by now.
  func positionLocal(_ messages: [Message]) async {
    let ids = messages.filter(\.mayBeUnplaced).map(\.id)
    if !ids.isEmpty { await lookAtCrossings(of: ids) }
  }

  /// - Parameter messages: `nil`: all of which that was not looked at yet.
  func lookAtCrossings(of messages: [Message.ID]?) async {
    do {
      let reach = ports.now().addingTimeInterval(-Self.crossingReach)
      let positions = try await ports.store.positions(beforeCrossed: messages, since: reach)
      guard !positions.isEmpty, state.session.open[ports.account] != nil else { return }
      state.session.open[ports.account]?.crossed.formUnion(positions)
      state.wakeUp()
    } catch {
      // The next start looks again.
      ports.log.warning("what crossed a message on its way could not be looked for: \(error)")
    }
  }

  /// Has what is to be compared with `archive` begin before what was crossed.
  func takeUpCrossing(in archive: JID) async {
    guard let positions = state.session.open[archive]?.crossed,
      let live = state.session.open[archive]?.live
    else { return }
    state.session.open[archive]?.crossed = []
    guard let point = positions.min(by: { $0.at < $1.at }),
      await forget(archive, after: positions, before: live)
    else { return }
    guard state.session.open[archive]?.compareAgain(from: point, in: live) == true else { return }
    await ranges.storeEnd(of: archive)
  }

  /// Ends older ranges at those of `positions` that are in them, and those behind them at their
  /// start: filling the gaps reads the rest again, in order.
  /// - Returns: whether they are stored so.
  private func forget(
    _ archive: JID, after positions: Set<ArchivePosition>, before live: ArchiveRange
  ) async -> Bool {
    do {
      return try await state.inbox.run(in: .writing(archive)) {
        let ranges = try await ports.store.ranges(of: archive, with: nil).filter {
          $0.row != live.row
        }
        for var range in ranges where range.start.at < live.start.at {
          let its = positions.filter { $0.at <= range.end.at && $0.at < live.start.at }
          guard let point = its.min(by: { $0.at < $1.at }) else { continue }
          // It may begin with local messages, whose time differs from that of later ones.
          if range.start.at <= point.at {
            (range.end, range.anchor) = (point, point.id)
          } else {
            let others = ranges.map(\.start.at) + [live.start.at]
            (range.end, range.anchor) = (try await beginning(of: range, before: others), nil)
          }
          _ = try await ports.store.save(range)
          state.wakeUp()
        }
        return true
      }
    } catch {
      // The next start looks again.
      ports.log.warning("what crossed a message on its way cannot be read again: \(error)")
      return false
    }
  }

  /// Returns the time of the first message of `range` now: what is read before it has to fit there.
  /// - Parameter others: the times at which other ranges begin.
  private func beginning(of range: ArchiveRange, before others: [Date]) async throws
    -> ArchivePosition
  {
    var start = range.start
    let next = others.filter { $0 > start.at }.min() ?? start.at
    if let time = try await ports.store.storedTime(of: start.id, in: range.archive) {
      start.at = max(start.at, min(time, next - ArchiveRange.step))
    }
    return start
  }
}

extension Message {
  /// Indicates whether it is local and the archive may have it before what arrived meanwhile.
  fileprivate var mayBeUnplaced: Bool {
    guard direction == .outgoing, effect == nil else { return false }
    switch delivery {
    case .sent, .delivered, .read: return true
    case .queued, .failed, nil: return false
    }
  }
}
