import Diagnostics
import FoundationEssentials
import NatterCore
import XMPP

/// Comparing what came live with the archive, some seconds after a connection came about.
///
/// While a server moves a session from a broken connection to the next one, what it delivers at
/// that moment can get lost or change its order: then only the archive has it (server-quirks.md,
/// "Clusters"). Live messages that follow are no proof that it arrived.
extension ArchiveSynchronizer {
  /// How long servers may be busy with the connection before.
  private static let settling = Duration.seconds(3)
  /// More pages than that wait until other tasks had access.
  private static let checkedPages = 50
  /// How often, over one connection: another owner's archive could have no end.
  private static let (longChecks, longRoomChecks) = (40, 4)

  // Not without `async`: a caller would get the protocol's own, which does nothing.
  package func connectionOpened() async {
    connections += 1
    // Like the code that stores what arrives.
    _ = arrivals.next(1, now: now())
    for archive in open.keys where open[archive]?.connectionOpened() == true {
      await storeEnd(of: archive)
    }
  }

  /// Whether a task has to run `check()`.
  func takesUpCheck() -> Bool {
    guard !isSettling, open.values.contains(where: \.isToCompare) else { return false }
    isSettling = true
    return true
  }

  /// Waits until the connection is some seconds old, and reads what came in the meantime.
  func check() async {
    defer { isSettling = false }
    var seen: Int
    repeat {
      seen = connections
      do { try await sleep(Self.settling) } catch { return }
    } while seen != connections
    var goesOn = false
    for (archive, state) in open where state.isToCompare {
      if await check(archive, state.number) { goesOn = true }
    }
    // Another connection has begun meanwhile, and no task handles that.
    if goesOn || seen != connections { wakeUp() }
  }

  /// - Returns: whether there is more to compare.
  private func check(_ archive: JID, _ number: Int) async -> Bool {
    await takeUpCrossing(in: archive)
    guard let channel, let unchecked = open[archive]?.unchecked, open[archive]?.live != nil else {
      return false
    }
    let connection = connections
    var comparison = Comparison(from: unchecked)
    var isLong = true
    do {
      // All pages in one go: another page in between could move the position to go on from.
      try await queued(of: archive) {
        for _ in 0..<Self.checkedPages {
          isLong = try await compare(&comparison, with: archive, number, over: channel)
          if !isLong { break }
        }
      }
    } catch let error as StanzaError where !error.mayPass {
      log.info("what came live cannot be compared with the archive: \(error)")
      (comparison.isOver, isLong) = (false, false)
    } catch {
      // The next session reads on from where it got to.
      log.info("what came live is not compared with the archive for now: \(error)")
      return false
    }
    // Another session, visit or connection began, of which the archive may not have reported yet.
    guard open[archive]?.number == number, connections == connection else { return false }
    if isLong, let checks = open[archive]?.longChecks,
      checks < (archive == account ? Self.longChecks : Self.longRoomChecks)
    {
      open[archive]?.longChecks += 1
      return true
    }
    guard comparison.isOver else {
      // The result would be the same again. The next session reads on from what is compared.
      open[archive]?.isIncomparable = true
      return false
    }
    open[archive]?.endComparison()
    await storeEnd(of: archive)
    return open[archive]?.crossed.isEmpty == false
  }

  /// How far what came live is compared with the archive.
  private struct Comparison {
    /// What was sent since is news.
    let since: Date
    var walk: ArchiveWalk
    var ids: [String]
    var checked: ArchivePosition
    /// Whether the archive has returned everything.
    var isOver = false

    init(from unchecked: OpenArchive.Unchecked) {
      since = unchecked.since
      walk = ArchiveWalk(from: unchecked.point)
      ids = [unchecked.point.id]
      checked = unchecked.point
    }
  }

  /// Compares one page.
  /// - Returns: whether there are more.
  private func compare(
    _ comparison: inout Comparison, with archive: JID, _ number: Int,
    over channel: any StanzaChannel
  ) async throws -> Bool {
    guard open[archive]?.number == number, open[archive]?.live != nil else { return false }
    let page: XEP0313Page
    do {
      page = try await channel.archivePage(
        comparison.walk.query(limit: Self.pageSize), of: archive)
    } catch let error as StanzaError where error.condition == .itemNotFound {
      return comparison.walk.restartFromTime(tolerance: Self.clockTolerance)
    }
    switch try await step(&comparison.walk, to: page, of: archive, over: channel) {
    case .restart: return true
    case .lost: return false
    case .next, .last: break
    }
    guard open[archive]?.number == number, var range = open[archive]?.live else { return false }
    comparison.isOver = comparison.walk.isDone
    guard let newest = page.newest else { return !comparison.isOver }
    let isByTime = comparison.walk.isByTime
    let since = comparison.since
    let times = ArchiveOrder.times(
      of: page.results.map(\.stamp), after: isByTime ? nil : comparison.checked.at, now: now())
    let checked = ArchivePosition(
      id: newest, at: max(comparison.checked.at, times.last ?? comparison.checked.at))
    comparison.checked = checked
    comparison.ids += page.results.map(\.id)
    let ids = comparison.ids
    range.end = checked
    // What came live may be after the page.
    range.anchor = nil
    range = try await save(
      page, times, making: range, as: .news(since: since), isByTime: isByTime
    ) { stored in
      // In the same access: another write of the end would put it back before the page.
      guard open[archive]?.number == number else { return }
      open[archive]?.noteCompared(stored, upTo: checked, returning: ids)
    }
    // With the times that are stored: the server's clock may be behind.
    comparison.checked.at = max(checked.at, range.end.at)
    return !comparison.isOver && open[archive]?.number == number
  }
}
