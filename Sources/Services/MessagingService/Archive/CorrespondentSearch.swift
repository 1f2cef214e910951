import Diagnostics
import FoundationEssentials
import NatterCore
import XMPP

/// Senders outside the roster with messages before the account's newest page would be missing on a
/// new device. The archive is searched for them: only the newest messages of each are stored.
struct CorrespondentSearch: ArchivePart {
  let context: ArchiveContext
  let backfill: Backfill

  /// Looks through one page more.
  /// - Returns: whether there is more to look through.
  func searchPast() async -> Bool {
    guard let memory = ports.memory, let channel = state.session.channel,
      let reading = state.session.open[ports.account], reading.live != nil, state.isReadToItsEnd,
      !state.session.pastSearch.isOver
    else { return false }
    let connection = state.connections
    do {
      guard let point = try await searchPosition(in: memory),
        let page = try await reader.page(
          before: point, limit: ArchiveReader.pageSize, of: ports.account, with: nil, over: channel)
      else {
        state.session.pastSearch.isOver = true
        return false
      }
      for conversation in correspondents(in: page, await owners.rooms(in: page, of: ports.account))
      where !state.session.pastSearch.met.contains(conversation) {
        try await backfill.fetchNewest(of: conversation)
        // Another session began, or this one does not answer: the page is searched once more.
        guard state.session.open[ports.account]?.number == reading.number, state.isReadToItsEnd,
          state.silentConnection != connection
        else { return false }
        state.session.pastSearch.met.insert(conversation)
      }
      let progress = PastSearch.progress(after: page, before: point)
      try await memory.setSearchProgress(progress)
      state.session.pastSearch.isOver = progress == .complete
    } catch let error as StanzaError where !error.mayPass {
      ports.log.info("the archive's past is not looked through: \(error.condition.rawValue)")
      state.session.pastSearch.isOver = true
    } catch {
      // The next reason to look for what is missing is one for this, too.
      ports.log.info("the archive's past is not looked through for now: \(error)")
      return false
    }
    return !state.session.pastSearch.isOver
  }

  /// Returns the position from which on all was looked through; `nil` when that is enough.
  private func searchPosition(in memory: any ArchiveProgressStoring) async throws
    -> ArchivePosition?
  {
    let point: ArchivePosition
    switch try await memory.searchProgress() {
    case .complete: return nil
    case .reached(let position): point = position
    case nil:
      let first = try await ports.store.ranges(of: ports.account, with: nil).first
      guard let first, !first.reachesBeginning else { return nil }
      point = first.start
    }
    return PastSearch.reaches(point, now: ports.now()) ? point : nil
  }

  /// Returns the conversations of the messages on `page`, those of the newest first.
  private func correspondents(in page: XEP0313Page, _ rooms: Set<JID>) -> [JID] {
    let decoder = MessageDecoder(account: ports.account)
    var found: [JID] = []
    for result in page.results.reversed() {
      guard let message = decoder.decode(result, of: ports.account, in: nil, rooms: rooms),
        message.conversation != ports.account, !found.contains(message.conversation)
      else { continue }
      found.append(message.conversation)
    }
    return found
  }
}
