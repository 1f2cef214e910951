import Diagnostics
import FoundationEssentials
import NatterCore
import XMPP

/// Rooms that announce an archive and refuse to read it: what was sent while offline is missing for
/// good, and that has to be shown.
extension CatchUp {
  /// Takes note that the archive of a room, asked in reading number `number`, refused to be read.
  func noteRefusal(_ error: StanzaError, of archive: JID, _ number: Int) async {
    guard state.session.visited[archive] != nil, state.session.open[archive]?.number == number
    else { return }
    state.session.refusals[archive] = HistoryRefusal(error)
    await begin(withPastOf: archive, number)
    ports.hub.publish(.archiveChanged(archive))
    await ports.rooms?.archiveRefused(of: archive)
  }

  /// If the room has sent its history, that and the live messages are one piece: the gap is before
  /// it, and there is none between the two.
  private func begin(withPastOf archive: JID, _ number: Int) async {
    guard let sent = state.session.visited[archive]?.sent else { return }
    do {
      guard let first = try await ports.store.storedTime(of: sent.first, in: archive),
        let last = try await ports.store.storedTime(of: sent.last, in: archive)
      else { return }
      let known = try await ports.store.ranges(of: archive, with: nil)
      let history = JoinHistoryRange(
        sent, first: first, last: last, among: known,
        current: state.session.open[archive]?.island)
      var time: Date?
      if let id = history.decidingID {
        time = try await ports.store.storedTime(of: id, in: archive)
      }
      guard let reading = state.session.open[archive], reading.number == number, reading.live == nil
      else { return }
      state.session.open[archive]?.beginIsland(
        at: history.start(deciding: time), through: history.last, in: archive)
    } catch {
      // Then something may seem to be missing where nothing is.
      ports.log.warning("the stored times of a room's join history could not be read: \(error)")
    }
    await ranges.storeEnd(of: archive)
  }

  /// Asks a room again that has refused its archive, and catches up if it does not any more.
  /// - Returns: `nil` where none has refused; `.fetched` where it gives it now.
  func askedAgain(_ archive: JID) async -> HistoryOutcome? {
    guard state.session.refusals[archive] != nil, let reading = state.session.open[archive] else {
      return nil
    }
    guard let channel = state.session.channel else { return .offline }
    do {
      try await state.inbox.run(in: .reading(archive)) {
        _ = try await channel.archivePage(XEP0313Query(.last, limit: 1), of: archive)
      }
    } catch let error as StanzaError where !error.mayPass {
      let refusal = HistoryRefusal(error)
      if state.session.refusals[archive] != nil { state.session.refusals[archive] = refusal }
      return .refused(refusal)
    } catch {
      ports.log.info("a room that refused its archive could not be asked again: \(error)")
      return .offline
    }
    // Another visit has begun, or another view has asked as well.
    guard state.session.open[archive]?.number == reading.number,
      state.session.refusals[archive] != nil
    else { return .fetched }
    state.session.refusals[archive] = nil
    state.session.unreadable.remove(archive)
    await follow(archive, isFollowed: reading.isFollowed, visit: reading.visit, over: channel)
    state.wakeUp()
    return state.session.refusals[archive].map { .refused($0) } ?? .fetched
  }
}
