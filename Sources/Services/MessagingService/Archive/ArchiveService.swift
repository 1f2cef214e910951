import Diagnostics
import FoundationEssentials
import NatterCore
import XMPP

/// Brings the database up to the archives (XEP-0313; flows.md, "Data sync" and "Receiving").
///
/// After each login it reads forward from the last known message (`CatchUp`). The first time, or
/// when much was missed, it takes the newest page and leaves a gap that is filled later, newest
/// first (`GapFiller`). Older pages are loaded when the user scrolls up (`Backfill`). A page is
/// stored with the range that it completes, so that the database knows its gaps whenever the
/// program ends.
///
/// All that happens comes in here. The parts are not shared with other tasks: they run in this
/// actor, one at a time between two waits.
package actor ArchiveService: SessionConsuming {
  nonisolated let ports: ArchivePorts
  private let state: ArchiveState
  private let ranges: RangeTracker
  private let offline: OfflineDeliveries
  let catchUp: CatchUp
  private let reconciler: ArchiveReconciler
  private let backfill: Backfill
  private let search: CorrespondentSearch
  private let gaps: GapFiller
  private let pageFromTime: PageFromTime
  private let fullText: FullTextSearch

  /// Creates the service of one account.
  package init(_ ports: ArchivePorts) {
    let context = ArchiveContext(ports)
    let offline = OfflineDeliveries(context)
    let catchUp = CatchUp(context, offline: offline)
    let backfill = Backfill(context, catchUp: catchUp)
    self.ports = ports
    state = context.state
    ranges = context.ranges
    self.offline = offline
    self.catchUp = catchUp
    self.backfill = backfill
    reconciler = ArchiveReconciler(context)
    search = CorrespondentSearch(context: context, backfill: backfill)
    pageFromTime = PageFromTime(context, backfill: backfill)
    fullText = FullTextSearch(context: context)
    gaps = GapFiller(context, offline: offline, catchUp: catchUp, backfill: backfill)
  }

  /// Fills gaps in the background whenever there is a reason to look for some, and repeats a
  /// catch-up that ended early, until the task is cancelled.
  package func run() async {
    await withDiscardingTaskGroup { group in
      let events = ports.hub.events()
      group.addTask { await self.watchLocal(in: events) }
      for await _ in state.wakeUps.stream {
        state.isWoken = false
        if catchUp.retry.isDue { await catchUp.again() }
        await fillHoles()
        // Whatever else there is to do goes before the next page of it.
        while !state.isWoken, await searchPast() {}
        if takesUpCheck() { group.addTask { await self.check() } }
        let isBehind = state.session.open.values.contains(where: \.isBehind)
        guard let pause = catchUp.retry.nextPause(isBehind: isBehind) else { continue }
        group.addTask { await self.retry(after: pause) }
      }
      group.cancelAll()
    }
  }

  private func retry(after pause: Duration) async {
    do { try await ports.sleep(pause) } catch { return }
    catchUp.retry.endPause()
    state.wakeUp()
  }

  /// Finds the position of local messages once the server has them, until the task is cancelled.
  private func watchLocal(in events: AsyncStream<DomainEvent>) async {
    for await event in events {
      guard case .messagesChanged(let messages) = event else { continue }
      await positionLocal(messages)
    }
  }

  /// Looks for messages that crossed one of `messages`, of which some may be at the server by now.
  func positionLocal(_ messages: [Message]) async { await reconciler.positionLocal(messages) }

  /// Compares what came live with the archive, once the connection is some seconds old.
  func check() async { await reconciler.check() }

  /// Returns whether a task has to run `check()`.
  func takesUpCheck() -> Bool { reconciler.takesUpCheck() }

  /// Looks through one page more for senders outside the roster.
  /// - Returns: whether there is more to look through.
  func searchPast() async -> Bool { await search.searchPast() }

  /// Fills the gaps of the followed archives, the newest first and a page at a time, until none is
  /// left that the server fills, or the connection ends.
  package func fillHoles() async { await gaps.fillAll() }

  // MARK: - The session

  // None without `async`: a caller would get the protocol's own, which does nothing.
  package func connectionOpened() async { await reconciler.connectionOpened() }

  package func channelOpened(_ channel: any StanzaChannel) async {
    state.session = ArchiveSession(channel: channel)
    offline.sessionBegan()
    // What comes before the archive can be asked comes live all the same.
    ranges.begin(ports.account, isFollowed: true, visit: nil)
  }

  package func sessionTakenUp(underWay ids: [String]) async {
    state.session.isTakenUp = true
    offline.sessionTakenUp()
  }

  package func sessionStarted(_ session: Session, over channel: any StanzaChannel) async {
    if state.session.channel == nil { await channelOpened(channel) }
    state.session.hasStarted = true
    state.endStart()
    // Without carbons, only the archive has what other clients send: the range ends there.
    let isFollowed = await ports.copies.isOn
    await catchUp.follow(ports.account, isFollowed: isFollowed, over: channel)
    await reconciler.lookAtCrossings(of: nil)
    state.wakeUp()
  }

  package func sessionResumed() async {
    catchUp.retry.setDue()
    state.wakeUp()
  }

  package func sessionEnded() async {
    state.session.channel = nil
    state.session.hasStarted = false
    state.endStart()
    for archive in state.session.open.keys { await ranges.storeEnd(of: archive) }
    await offline.sessionEnded()
    state.session.end()
  }

  package func receive(_ stanzas: [Stanza]) async {
    // What they brought is stored with earlier times than these: a range ends after it.
    let times = state.arrivals.next(stanzas.count, now: ports.now())
    guard !state.session.open.isEmpty else { return }
    let views = state.session.visited.isEmpty ? nil : await ports.rooms?.views()
    var moved: Set<JID> = []
    var delivered: [String] = []
    for (item, time) in zip(stanzas, times) {
      guard case .message(let wrapper) = item else { continue }
      let carbon = XEP0280Carbon(wrapper, of: ports.account)
      if carbon == nil, let id = offline.id(of: wrapper) { delivered.append(id) }
      let stanza = carbon?.message ?? wrapper
      let owner = stanza.kind == .groupchat ? stanza.from?.bare : ports.account
      guard let owner else { continue }
      if owner != ports.account {
        // In another visit, the archive first has to return what was missed between the two.
        guard state.session.visited[owner] != nil,
          views == nil || views?[owner]?.visit == state.session.open[owner]?.visit
        else { continue }
      }
      // In a cancelled task it may not be stored: the range ends before it, and is read from there.
      guard !Task.isCancelled, await ranges.isNew(stanza, in: owner) else { continue }
      if ranges.note(stanza, in: owner, at: time) { moved.insert(owner) }
    }
    await offline.note(delivered)
    for archive in moved { await ranges.storeMovedEnd(of: archive) }
  }
}

extension ArchiveService: RoomArchiveSyncing {
  package func roomEntered(_ room: JID, as view: RoomMembership, hasArchive: Bool) async {
    let room = room.bare
    guard let channel = state.session.channel else { return }
    state.session.visited[room] = view
    state.session.unreadable.remove(room)
    state.session.refusals[room] = nil
    guard hasArchive else {
      state.session.unreadable.insert(room)
      state.session.open[room] = nil
      return
    }
    // A new visit starts over: messages between the two did not arrive live, whatever the last end.
    if let visit = view.visit, state.session.open[room]?.visit == visit { return }
    // Missed messages notify once all of them are known, and which were read elsewhere.
    ports.hub.publish(.catchUpChanged(isRunning: true))
    defer { ports.hub.publish(.catchUpChanged(isRunning: false)) }
    await catchUp.follow(room, isFollowed: true, visit: view.visit, over: channel)
    state.wakeUp()
  }

  package func roomLeft(_ room: JID) async {
    let room = room.bare
    await ranges.storeEnd(of: room)
    state.session.open[room] = nil
    state.session.visited[room] = nil
    state.session.refusals[room] = nil
  }
}

extension ArchiveService: HistoryFetching {
  package func fetchOlder(in conversation: JID) async throws -> HistoryOutcome {
    try await backfill.fetchOlder(in: conversation)
  }

  package func holes(in conversation: JID) async throws -> [HistoryHole] {
    try await gaps.holes(in: conversation)
  }

  package func counted(_ hole: HistoryHole, in conversation: JID) async -> HistoryHole {
    await gaps.counted(hole, in: conversation)
  }

  package func fetchMissing(in hole: HistoryHole, of conversation: JID) async throws
    -> HistoryOutcome
  {
    try await gaps.fetchMissing(in: hole, of: conversation)
  }

  package func fetch(from start: Date?, in conversation: JID) async throws -> HistoryOutcome {
    try await pageFromTime.fetch(from: start, in: conversation)
  }

  package func hasArchive(of conversation: JID) async -> Bool {
    await backfill.hasArchive(of: conversation)
  }

  package func isSigningIn() async -> Bool {
    state.isSigningIn
  }

  package func signedIn() async {
    for await _ in state.start() {}
  }
}

extension ArchiveService: ServerSearching {
  package func searchOffer() async -> ServerSearchOffer { await fullText.offer() }

  package func searchServer(for query: SearchQuery, limit: Int) async throws
    -> ServerSearchOutcome
  {
    try await fullText.search(for: query, limit: limit)
  }

  package func fetchSurroundings(of match: ServerMatch) async throws -> HistoryOutcome {
    // Archives may round times.
    let start = match.stamp.addingTimeInterval(-ArchiveReader.stampTolerance)
    return try await pageFromTime.fetch(from: start, in: match.message.conversation)
  }
}

extension ArchiveService: ConversationDescribing {
  /// Reads the newest page of an unknown conversation with a contact; once for each.
  /// - Throws: `ChannelError.notConnected` when it could not be asked; what the database says.
  package func describe(_ conversation: ListedConversation, over channel: any StanzaChannel)
    async throws
  {
    try await backfill.describe(conversation)
  }
}
