import Diagnostics
import FoundationEssentials
import NatterCore
import XMPP

/// Rooms that announce an archive and refuse to read it: what was sent while offline is missing for
/// good, and that has to be shown.
extension ArchiveSynchronizer {
  /// Takes note that the archive of a room, asked in reading number `number`, refused to be read.
  func noteRefusal(_ error: StanzaError, of archive: JID, _ number: Int) async {
    guard visited[archive] != nil, open[archive]?.number == number else { return }
    refusals[archive] = HistoryRefusal(error)
    await begin(withPastOf: archive, number)
    hub.publish(.archiveChanged(archive))
    await rooms?.archiveRefused(of: archive)
  }

  /// If the room has sent its history, that and the live messages are one piece: the gap is before
  /// it, and there is none between the two.
  private func begin(withPastOf archive: JID, _ number: Int) async {
    guard let sent = visited[archive]?.sent else { return }
    do {
      guard let first = try await store.storedTime(of: sent.first, in: archive),
        let last = try await store.storedTime(of: sent.last, in: archive)
      else { return }
      let ranges = try await store.ranges(of: archive, with: nil)
      // What comes live in this visit is nothing that was known before.
      let current = open[archive]?.island
      let known = ranges.last { range in
        current.map { $0.row != range.row && $0.start.id != range.start.id } ?? true
      }
      var start = ArchivePosition(id: sent.first, at: first)
      if let known, known.start.id == sent.first {
        // It has refused before in this visit.
        start = known.end
      } else if let known, first <= known.end.at {
        if let id = sent.known, let time = try await store.storedTime(of: id, in: archive),
          time <= known.end.at
        {
          // It follows the known range, as far as that is certain: live messages were not compared.
          start = known.end
        } else {
          // Clocks that differ do not prove that nothing is missing.
          start.at = known.end.at + ArchiveOrder.gap
        }
      }
      guard let state = open[archive], state.number == number, state.live == nil else { return }
      open[archive]?.beginIsland(
        at: start, through: ArchivePosition(id: sent.last, at: last), in: archive)
    } catch {
      // Then something may seem to be missing where nothing is.
      log.warning("what a room has told of its past could not be read: \(error)")
    }
    await storeEnd(of: archive)
  }

  /// What a question that is refused for good comes to.
  func outcome(of error: StanzaError, at archive: JID) -> HistoryOutcome {
    guard archive != account else { return .beginning }
    let refusal = HistoryRefusal(error)
    // Who is outside does not know whether the room announces an archive.
    return refusal.cause == .absent && visited[archive] == nil ? .beginning : .refused(refusal)
  }

  /// What is missing behind all that is known, as long as nothing that is said follows it.
  func unreported(after coverage: ArchiveCoverage, of archive: JID) -> [HistoryHole] {
    guard refusals[archive] != nil, let state = open[archive], state.island == nil,
      let end = coverage.spans.last?.end.at
    else { return [] }
    return [HistoryHole(after: end, before: max(state.border, end + ArchiveOrder.gap))]
  }

  /// Asks a room again that has refused its archive, and catches up if it does not any more.
  /// - Returns: `nil` where none has refused; `.fetched` where it gives it now.
  func askedAgain(_ archive: JID) async -> HistoryOutcome? {
    guard refusals[archive] != nil, let state = open[archive] else { return nil }
    guard let channel else { return .offline }
    do {
      try await queued(of: archive) {
        _ = try await channel.archivePage(XEP0313Query(.last, limit: 1), of: archive)
      }
    } catch let error as StanzaError where !error.mayPass {
      let refusal = HistoryRefusal(error)
      if refusals[archive] != nil { refusals[archive] = refusal }
      return .refused(refusal)
    } catch {
      log.info("a room that refused its archive could not be asked again: \(error)")
      return .offline
    }
    // Another visit has begun, or another view has asked as well.
    guard open[archive]?.number == state.number, refusals[archive] != nil else { return .fetched }
    refusals[archive] = nil
    unreadable.remove(archive)
    await follow(archive, isFollowed: state.isFollowed, visit: state.visit, over: channel)
    wakeUp()
    return refusals[archive].map { .refused($0) } ?? .fetched
  }
}
