import Diagnostics
import FoundationEssentials
import NatterCore
import XMPP

/// Comparing what came live with the archive, some seconds after a connection came about.
///
/// While a server hands a session over from a connection that broke to the next one, what it is to deliver at that very moment can
/// get lost, or come in another order: then only the archive has it (FACTS.md 4). What follows it live is no sign that it came.
extension ArchiveSynchronizer {
  /// How long servers may be busy with the connection before.
  private static let settling = Duration.seconds(3)
  /// More than that is left to the next session.
  private static let checkedPages = 50

  // Not without `async`: a caller would get the protocol's own, which does nothing.
  package func connectionOpened() async {
    connections += 1
    // As whoever stores what arrives does.
    _ = arrivals.next(1, now: now())
    for (archive, state) in open where state.unchecked == nil {
      await storeEnd(of: archive)
      // What moves the end from here on does not count as complete until it is compared.
      guard let live = open[archive]?.live else { continue }
      open[archive]?.unchecked = live.end
    }
  }

  /// Whether somebody has to see to `check()`.
  func takesUpCheck() -> Bool {
    guard !isSettling, open.values.contains(where: { $0.unchecked != nil && $0.live != nil }) else {
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
      seen = connections
      do { try await sleep(Self.settling) } catch { return }
    } while seen != connections
    for (archive, state) in open where state.unchecked != nil {
      await check(archive, state.number)
    }
    // Another connection has begun meanwhile, and nobody took that up.
    if seen != connections { wakeUp() }
  }

  private func check(_ archive: JID, _ number: Int) async {
    guard let channel, let place = open[archive]?.unchecked, open[archive]?.live != nil else {
      return
    }
    do {
      try await check(archive, number, from: place, over: channel)
    } catch let error as StanzaError where !error.mayPass {
      log.info("what came live cannot be compared with the archive: \(error)")
    } catch {
      // It stays as it is, and the next session reads on from there.
      log.info("what came live is not compared with the archive for now: \(error)")
      return
    }
    // Another session, or another visit, or another connection has begun.
    guard open[archive]?.number == number, open[archive]?.unchecked == place else { return }
    open[archive]?.unchecked = nil
    await storeEnd(of: archive)
  }

  private func check(
    _ archive: JID, _ number: Int, from place: ArchivePlace, over channel: any StanzaChannel
  ) async throws {
    var comparison = Comparison(place: place)
    for _ in 0..<Self.checkedPages {
      // A turn for each page: somebody may want to look further up meanwhile.
      comparison = try await inTurn(of: archive) {
        try await self.page(of: comparison, archive, number, over: channel)
      }
      if comparison.isDone { return }
    }
  }

  /// How far what came live has been compared.
  private struct Comparison {
    /// Where it began.
    let place: ArchivePlace
    var walk: ArchiveWalk
    var checked: ArchivePlace
    /// The archive's ids from there on.
    var ids: [String]
    var isDone = false

    init(place: ArchivePlace) {
      self.place = place
      walk = ArchiveWalk(from: place)
      checked = place
      ids = [place.id]
    }
  }

  /// Compares one page more.
  private func page(
    of earlier: Comparison, _ archive: JID, _ number: Int, over channel: any StanzaChannel
  ) async throws -> Comparison {
    var (comparison, ended) = (earlier, earlier)
    ended.isDone = true
    let page: XEP0313Page
    do {
      page = try await channel.archivePage(
        comparison.walk.query(limit: Self.pageSize), of: archive)
    } catch let error as StanzaError where error.condition == .itemNotFound {
      return comparison.walk.restartFromTime(tolerance: Self.clockTolerance) ? comparison : ended
    }
    switch try await step(&comparison.walk, to: page, of: archive, over: channel) {
    case .restart: return comparison
    case .lost: return ended
    case .next, .last: break
    }
    guard open[archive]?.number == number, var range = open[archive]?.live else { return ended }
    if let newest = page.newest {
      let times = ArchiveOrder.times(
        of: page.results.map(\.stamp),
        after: comparison.walk.isByTime ? nil : comparison.checked.at, now: now())
      comparison.checked = ArchivePlace(
        id: newest, at: max(comparison.checked.at, times.last ?? comparison.checked.at))
      comparison.ids += page.results.map(\.id)
      range.end = ArchivePlace(id: newest, at: max(comparison.checked.at, range.end.at))
      // What came live may be after the page.
      range.anchor = nil
      range = try await save(
        page, times, making: range, as: .news(since: comparison.place.at),
        adjoining: comparison.walk.isByTime ? .unknown : .range)
      guard open[archive]?.number == number, var live = open[archive]?.live else { return ended }
      live.row = range.row
      live.start.at = min(live.start.at, range.start.at)
      // The last one may be what did not come.
      if comparison.ids.contains(live.end.id) {
        (live.end.id, live.anchor) = (newest, range.anchor)
      }
      live.end.at = max(live.end.at, range.end.at)
      open[archive]?.live = live
      open[archive]?.unstored += 1
    }
    comparison.isDone = comparison.walk.isDone
    return comparison
  }
}
