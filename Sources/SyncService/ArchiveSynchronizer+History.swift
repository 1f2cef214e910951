import Diagnostics
import FoundationEssentials
import NatterCore
import XMPP

extension ArchiveSynchronizer: HistoryFetching {
  /// Pages without anything to show (receipts only) that are passed over in one go.
  private static let barrenPageLimit = 10

  package func fetchOlder(in conversation: JID) async throws -> HistoryOutcome {
    let peer = conversation.bare
    guard fetching.insert(peer).inserted else { return .offline }
    defer { fetching.remove(peer) }
    do {
      guard var range = try await past(of: peer) else { return .beginning }
      guard let channel else { return .offline }
      if hasArchive == false { return .beginning }
      for _ in 0..<Self.barrenPageLimit {
        guard let page = try await page(before: range.start, with: peer, over: channel) else {
          return .beginning
        }
        let times = ArchiveOrder.times(
          of: page.results.map(\.stamp), before: range.start.at, now: now())
        range.start = ArchivePlace(
          id: page.oldest ?? range.start.id, at: times.first ?? range.start.at)
        range.reachesBeginning = page.isComplete || page.results.isEmpty
        let hasText = page.results.contains {
          IncomingMessage($0, archivedBy: account) != nil
        }
        range = try await save(page, times, making: range, newsSince: nil)
        if hasText { return .fetched }
        if range.reachesBeginning { return .beginning }
      }
      return .fetched
    } catch is ChannelError {
      return .offline
    } catch let error as StanzaError {
      log.warning("older history could not be fetched: \(error.condition.rawValue)")
      return error.kind == .wait ? .offline : .beginning
    } catch let error as CancellationError {
      throw error
    } catch {
      throw NatterError(telling: error, orElse: .storage, key: "error.storage.write")
    }
  }

  /// What is known of the conversation's past; `nil` when that is all.
  private func past(of peer: JID) async throws -> ArchiveRange? {
    if let range = try await store.ranges(of: account, with: peer).last {
      return range.reachesBeginning ? nil : range
    }
    // Everything since the newest range of all began is known, of this conversation too.
    guard let all = try await store.ranges(of: account, with: nil).last else {
      let place = ArchivePlace(id: "", at: now())
      return ArchiveRange(
        archive: account, peer: peer, start: place, end: place, reachesBeginning: false)
    }
    return all.reachesBeginning
      ? nil
      : ArchiveRange(
        archive: account, peer: peer, start: all.start, end: all.start, reachesBeginning: false)
  }

  /// The page before `place`; `nil` when the server does not go back.
  private func page(before place: ArchivePlace, with peer: JID, over channel: any StanzaChannel)
    async throws -> XEP0313Page?
  {
    let position = place.id.isEmpty ? XEP0059Request.Position.last : .before(place.id)
    do {
      let page = try await channel.archivePage(
        XEP0313Query(with: peer, position, limit: Self.pageSize), of: account)
      let limit = place.at.addingTimeInterval(Self.clockTolerance)
      // The newest page in place of an older one: the id was ignored.
      guard !place.id.isEmpty, let last = page.results.last, last.stamp > limit else { return page }
    } catch let error as StanzaError where error.condition == .itemNotFound {}
    // The id is gone: by time, which may bring some messages that are known.
    let page = try await channel.archivePage(
      XEP0313Query(with: peer, end: place.at, .last, limit: Self.pageSize), of: account)
    if let oldest = page.oldest, oldest == place.id { return nil }
    return page
  }
}
