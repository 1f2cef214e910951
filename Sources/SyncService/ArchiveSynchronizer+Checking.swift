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
      try await inTurn(of: archive) {
        try await check(archive, number, from: place, over: channel)
      }
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
    var walk = ArchiveWalk(from: place)
    var ids = [place.id]
    var checked = place
    for _ in 0..<Self.checkedPages {
      let page: XEP0313Page
      do {
        page = try await channel.archivePage(walk.query(limit: Self.pageSize), of: archive)
      } catch let error as StanzaError where error.condition == .itemNotFound {
        guard walk.restartFromTime(tolerance: Self.clockTolerance) else { return }
        continue
      }
      switch try await step(&walk, to: page, of: archive, over: channel) {
      case .restart: continue
      case .lost: return
      case .next, .last: break
      }
      guard open[archive]?.number == number, var range = open[archive]?.live else { return }
      if let newest = page.newest {
        let times = ArchiveOrder.times(
          of: page.results.map(\.stamp), after: walk.isByTime ? nil : checked.at, now: now())
        checked = ArchivePlace(id: newest, at: max(checked.at, times.last ?? checked.at))
        ids += page.results.map(\.id)
        range.end = ArchivePlace(id: newest, at: max(checked.at, range.end.at))
        // What came live may be after the page.
        range.anchor = nil
        range = try await save(
          page, times, making: range, as: .news(since: place.at),
          adjoining: walk.isByTime ? .unknown : .range)
        guard open[archive]?.number == number, var live = open[archive]?.live else { return }
        live.row = range.row
        live.start.at = min(live.start.at, range.start.at)
        // The last one may be what did not come.
        if ids.contains(live.end.id) { (live.end.id, live.anchor) = (newest, range.anchor) }
        live.end.at = max(live.end.at, range.end.at)
        open[archive]?.live = live
        open[archive]?.unstored += 1
      }
      if walk.isDone { return }
    }
  }
}
