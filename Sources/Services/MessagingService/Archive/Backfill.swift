import Diagnostics
import FoundationEssentials
import NatterCore
import XMPP

/// Goes back beyond what the database holds: older pages of a conversation, and the newest messages
/// of each contact (flows.md, "Data sync"): the account's own newest page may be all of one
/// talkative contact, and what others said before would stay unseen.
final class Backfill: ArchivePart {
  let context: ArchiveContext
  private let catchUp: CatchUp
  /// Conversations whose past is being fetched.
  private var fetching: Set<JID> = []

  init(_ context: ArchiveContext, catchUp: CatchUp) {
    self.context = context
    self.catchUp = catchUp
  }

  /// Pages without anything to show (receipts only) that are passed over in one go.
  private static let barrenPageLimit = 10

  /// Reads the page before what is known of `conversation`.
  /// - Parameter limit: the number of messages of a page.
  func fetchOlder(in conversation: JID, limit: Int = ArchiveReader.pageSize) async throws
    -> HistoryOutcome
  {
    let (archive, peer) = await owners.point(of: conversation)
    if state.session.refusals[archive] != nil,
      try await ranges.past(of: archive, with: peer) != nil,
      let answer = await catchUp.askedAgain(archive)
    {
      return answer
    }
    return try await fetching(conversation) { archive, peer, channel in
      guard var range = try await ranges.past(of: archive, with: peer) else { return .beginning }
      guard let channel else { return .offline }
      if state.session.unreadable.contains(archive) { return .beginning }
      guard await owners.isReadable(archive) else { return .offline }
      for _ in 0..<Self.barrenPageLimit {
        guard
          let page = try await reader.page(
            before: range.start, limit: limit, of: archive, with: peer, over: channel)
        else { return .beginning }
        let times = ArchiveOrder.times(
          of: page.results.map(\.stamp), before: range.start.at, now: ports.now())
        if range.row == nil, peer == nil, let newest = page.newest {
          // The archive was unknown: this is its newest page, and later messages are not known yet.
          range.end = ArchivePosition(id: newest, at: times.last ?? range.end.at)
        }
        range.reachesBeginning = page.isComplete || page.isEmpty(beyond: range.start.id)
        range.start = ArchivePosition(
          id: page.oldest ?? range.start.id, at: times.first ?? range.start.at)
        let room = await owners.view(of: archive)
        let rooms = await owners.rooms(in: page, of: archive)
        let decoder = MessageDecoder(account: ports.account)
        let hasText = page.results.contains {
          guard let message = decoder.decode($0, of: archive, in: room, rooms: rooms) else {
            return false
          }
          // A server may take an occupant JID for that of the room.
          return message.conversation == peer ?? archive
        }
        range = try await pages.save(
          page, times, making: ranges.certain(range), as: .past,
          isByTime: page.isByTime)
        if hasText { return .fetched }
        if range.reachesBeginning { return .beginning }
      }
      return .fetched
    }
  }

  /// Runs `body` with the archive of `conversation`, one after the other, and maps its errors.
  /// - Parameter isOnce: whether it does nothing while another request of this kind is under way.
  func fetching(
    _ conversation: JID, isOnce: Bool = true,
    _ body: (
      _ archive: JID, _ peer: JID?, _ channel: (any StanzaChannel)?
    ) async throws -> HistoryOutcome
  ) async throws -> HistoryOutcome {
    if isOnce, !fetching.insert(conversation).inserted { return .offline }
    defer { if isOnce { fetching.remove(conversation) } }
    let (archive, peer) = await owners.point(of: conversation)
    do {
      let outcome = try await state.inbox.run(in: .reading(archive)) {
        // Offline messages are new, and have to come before the archive returns them.
        let isEarly = archive == ports.account && !state.session.hasStarted
        return try await body(archive, peer, isEarly ? nil : state.session.channel)
      }
      if outcome != .offline { state.silentConnection = nil }
      return outcome
    } catch is ChannelError {
      return .offline
    } catch let error as StanzaError {
      ports.log.warning("history could not be fetched: \(error.condition.rawValue)")
      return error.mayPass ? .offline : outcome(of: error, at: archive)
    } catch let error as CancellationError {
      throw error
    } catch {
      throw NatterError(reporting: error, orElse: .storage, key: "error.storage.write")
    }
  }

  /// Returns the outcome of a query that is refused for good.
  func outcome(of error: StanzaError, at archive: JID) -> HistoryOutcome {
    guard archive != ports.account else { return .beginning }
    let refusal = HistoryRefusal(error)
    // Outside the room, it is not known whether it announces an archive.
    return refusal.cause == .absent && state.session.visited[archive] == nil
      ? .beginning : .refused(refusal)
  }

  /// Returns `false` if no archive has the messages of `conversation`. A refusal for another cause
  /// says nothing about that.
  func hasArchive(of conversation: JID) async -> Bool {
    let archive = await owners.point(of: conversation).archive
    if let refusal = state.session.refusals[archive] { return refusal.cause != .absent }
    return !state.session.unreadable.contains(archive)
  }

  // MARK: - The newest messages of a conversation

  /// Enough to show the latest messages; the rest is loaded when it is opened.
  private static let newestSize = 20

  /// Reads the newest page of an unknown conversation with a contact; once for each.
  /// - Throws: `ChannelError.notConnected` when it could not be asked; what the database says.
  func describe(_ conversation: ListedConversation) async throws {
    let peer = conversation.jid.bare
    guard conversation.kind == .direct, peer != ports.account else { return }
    // The rest of it is for another time, when what is missing has been read.
    if state.session.open[ports.account]?.isBehind == true { throw ChannelError.notConnected }
    try await fetchNewest(of: peer)
  }

  /// Reads the newest page of what was said with `peer`, where nothing is known of it.
  /// - Throws: as `describe` does.
  func fetchNewest(of peer: JID) async throws {
    try await state.inbox.run(in: .newestPage) {
      guard !Task.isCancelled, state.isReadToItsEnd, state.silentConnection != state.connections,
        try await isUnknown(peer), !fetching.contains(peer)
      else { return }
      let connection = state.connections
      if try await fetchOlder(in: peer, limit: Self.newestSize) == .offline {
        state.silentConnection = connection
        throw ChannelError.notConnected
      }
    }
  }

  /// Returns whether nothing is known of what was said with `peer`, though there may be something.
  private func isUnknown(_ peer: JID) async throws -> Bool {
    guard try await ports.store.ranges(of: ports.account, with: peer).isEmpty,
      try await ports.store.newestReceived(
        in: peer, between: [(after: .distantPast, before: .distantFuture)]
      ).allSatisfy({ $0 == nil })
    else { return false }
    return try await ranges.past(of: ports.account, with: peer) != nil
  }
}
