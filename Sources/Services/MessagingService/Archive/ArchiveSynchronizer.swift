import Diagnostics
import FoundationEssentials
import NatterCore
import XMPP

/// Brings the database up to the archives (XEP-0313; flows.md, "Data sync" and "Receiving").
///
/// After each login it reads forward from the last known message. The first time, or when much was
/// missed, it takes the newest page and leaves a gap that is filled later, newest first. Older
/// pages are loaded when the user scrolls up. A page is stored with the range that it completes, so
/// that the database knows its gaps whenever the program ends.
package actor ArchiveSynchronizer: SessionConsuming {
  let account: JID
  let store: any ArchiveStoring & ArrivalReading
  let copies: CarbonCopies
  let hub: EventHub
  let log: Log
  let now: @Sendable () -> Date
  let isRoom: @Sendable (JID) async -> Bool
  let inbox: (any CommandTaking)?
  let deliveries: any DeliveryStoring
  let followers: [any ArchiveFollowing]
  let rooms: (any RoomViewing & RoomReading)?
  let memory: (any PreferenceStoring)?
  let languages: [String]
  let sleep: @Sendable (Duration) async throws -> Void

  var channel: (any StanzaChannel)?
  /// Whether the account's own archive is read, or was, in this session.
  var hasStarted = false
  /// Whether the session is one of an earlier run, or one that was interrupted at its start.
  var isTakenUp = false
  /// Archives that cannot be read, in this session.
  var unreadable: Set<JID> = []
  /// Those of rooms that announce one, and why.
  var refusals: [JID: HistoryRefusal] = [:]
  /// Whether an archive takes two ids at once, as far as it was asked in this session.
  var extended: [JID: Bool] = [:]
  var open: [JID: OpenArchive] = [:]
  /// The rooms that were joined, each with its membership at that time.
  var visited: [JID: RoomMembership] = [:]
  /// Conversations whose past is being fetched.
  var fetching: Set<JID> = []
  /// Who reads an archive, one after the other.
  let serializer = KeyedSerializer<JID>()
  /// Serializes writes to an archive's ranges, so that a task with a stale copy cannot overwrite a
  /// newer one.
  let writing = KeyedSerializer<JID>()
  /// Who reads the newest of a conversation that nothing is known of, one after the other.
  let describing = KeyedSerializer<JID>()
  /// Holes that the server does not fill, by the range after them, in this session.
  var filling = HoleFilling()
  /// The search of the account's archive for senders outside the roster, in this session.
  var pastSearch = PastSearch()
  private var readings = 0
  /// Another catch-up after it ended early, and the last time the user asked for one.
  var (isRetryDue, retriedAt) = (false, Date.distantPast)
  /// Seconds after which the user may ask for it again.
  static let retryPause: TimeInterval = 5
  private var isPausing = false
  private var failures = 0
  /// Connections in this run, and whether a task waits for the newest one to settle.
  var connections = 0
  var isSettling = false
  /// The connection on which a query for the newest messages had no answer: others would fail, too.
  var silentConnection: Int?
  var arrivals = MonotonicArrivalClock()
  /// The deliveries of sessions that ended before the archive was read; `nil` until loaded.
  var deliveredOffline: OfflineDeliveryLog?
  /// Whether the server delivered offline messages in this session, and in the previous one.
  var (wasDelivering, wasDeliveringBefore) = (true, true)
  /// When that was last kept.
  var handoversKeptAt = Date.distantPast
  /// Whether there is an unhandled reason to look for gaps.
  private var isWoken = false
  private let wakeUps = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

  static let pageSize = 100
  /// How many pages are read forwards before the newest one is taken.
  static let forwardPages = 2
  /// If the end's position is lost, no more than this many messages are read again.
  static let unstoredLimit = 50
  /// What the server's clock and this machine's may be apart.
  static let clockTolerance: TimeInterval = 7200
  /// Archives may round times to whole seconds; the database has microseconds.
  static let stampTolerance: TimeInterval = 1
  /// Seconds until catching up is tried again: twice as long each time, up to the limit.
  private static let (pause, pauseLimit) = (15, 600)

  /// - Parameters:
  ///   - inbox: takes the commands in archives; `nil`: they are ignored.
  ///   - followers: called with each page of the account's archive after it was stored.
  ///   - memory: keeps the progress of the search for unknown senders; `nil`: it is not kept.
  ///   - rooms: knows the visit of each room, and the nick in rooms that were left; `nil`: unknown.
  ///   - languages: what the user reads, the preferred language first.
  ///   - isRoom: whether a conversation is a room that is not entered at the moment.
  package init(
    account: JID, store: any ArchiveStoring & ArrivalReading, deliveries: any DeliveryStoring,
    copies: CarbonCopies, hub: EventHub, log: Log, inbox: (any CommandTaking)? = nil,
    followers: [any ArchiveFollowing] = [],
    rooms: (any RoomViewing & RoomReading)? = nil, memory: (any PreferenceStoring)? = nil,
    languages: [String] = [],
    isRoom: @escaping @Sendable (JID) async -> Bool = { _ in false },
    now: @escaping @Sendable () -> Date = { Date() },
    sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
  ) {
    self.account = account.bare
    self.store = store
    self.deliveries = deliveries
    self.copies = copies
    self.followers = followers
    self.hub = hub
    self.log = log
    self.inbox = inbox
    self.rooms = rooms
    self.memory = memory
    self.languages = languages
    self.isRoom = isRoom
    self.now = now
    self.sleep = sleep
  }

  /// Fills gaps in the background whenever there is a reason to look for some, and repeats a
  /// catch-up that ended early, until the task is cancelled.
  package func run() async {
    await withDiscardingTaskGroup { group in
      let events = hub.events()
      group.addTask { await self.watchTyped(in: events) }
      for await _ in wakeUps.stream {
        isWoken = false
        if isRetryDue { await catchUpAgain() }
        await fillHoles()
        // Whatever else there is to do goes before the next page of it.
        while !isWoken, await searchPast() {}
        if takesUpCheck() { group.addTask { await self.check() } }
        guard let pause = nextPause() else { continue }
        group.addTask { await self.retry(after: pause) }
      }
      group.cancelAll()
    }
  }

  private func catchUpAgain() async {
    isRetryDue = false
    for (archive, state) in open where state.isBehind {
      guard let channel, open[archive]?.number == state.number else { continue }
      await follow(
        archive, isFollowed: state.isFollowed, visit: state.visit, over: channel)
    }
  }

  /// How long to wait before the next catch-up; `nil` if none is due, or the wait has begun.
  private func nextPause() -> Duration? {
    guard open.values.contains(where: \.isBehind) else {
      failures = 0
      return nil
    }
    guard !isPausing else { return nil }
    isPausing = true
    failures += 1
    return .seconds(min(Self.pauseLimit, Self.pause << min(failures - 1, 8)))
  }

  private func retry(after pause: Duration) async {
    do { try await sleep(pause) } catch { return }
    isPausing = false
    isRetryDue = true
    wakeUp()
  }

  func wakeUp() {
    isWoken = true
    wakeUps.continuation.yield()
  }

  // MARK: - The session

  // Not without `async`: a caller would get the protocol's own, which does nothing.
  package func channelOpened(_ channel: any StanzaChannel) async {
    self.channel = channel
    hasStarted = false
    (isTakenUp, wasDeliveringBefore, wasDelivering) = (false, wasDelivering, false)
    unreadable = []
    refusals = [:]
    extended = [:]
    filling.unfillable = []
    pastSearch = PastSearch()
    open = [:]
    visited = [:]
    // What comes before the archive can be asked comes live all the same.
    begin(account, isFollowed: true, visit: nil)
  }

  package func sessionStarted(_ session: Session, over channel: any StanzaChannel) async {
    if self.channel == nil { await channelOpened(channel) }
    hasStarted = true
    // Without carbons, only the archive has what other clients send: the range ends there.
    let isFollowed = await copies.isOn
    await follow(account, isFollowed: isFollowed, over: channel)
    await lookAtCrossings(of: nil)
    wakeUp()
  }

  package func sessionResumed() async {
    isRetryDue = true
    wakeUp()
  }

  package func sessionEnded() async {
    channel = nil
    hasStarted = false
    for archive in open.keys { await storeEnd(of: archive) }
    if wasDelivering { await keepHandovers() }
    open = [:]
    visited = [:]
  }

  /// From here on what comes live from `archive` is noted.
  func begin(_ archive: JID, isFollowed: Bool, visit: Int?) {
    readings += 1
    open[archive] = OpenArchive(
      number: readings, visit: visit, connection: connections, begun: now(), border: now(),
      isFollowed: isFollowed)
  }

  // MARK: - What arrives live

  package func receive(_ stanzas: [Stanza]) async {
    // What they brought is stored with earlier times than these: a range ends after it.
    let times = arrivals.next(stanzas.count, now: now())
    guard !open.isEmpty else { return }
    let views = visited.isEmpty ? nil : await rooms?.views()
    var moved: Set<JID> = []
    var delivered: [String] = []
    for (item, time) in zip(stanzas, times) {
      guard case .message(let wrapper) = item else { continue }
      let carbon = XEP0280Carbon(wrapper, of: account)
      if carbon == nil, let id = offlineDeliveryID(wrapper) { delivered.append(id) }
      let stanza = carbon?.message ?? wrapper
      let owner = stanza.kind == .groupchat ? stanza.from?.bare : account
      guard let owner else { continue }
      if owner != account {
        // In another visit, the archive first has to return what was missed between the two.
        guard visited[owner] != nil, views == nil || views?[owner]?.visit == open[owner]?.visit
        else { continue }
      }
      guard await isNew(stanza, in: owner) else { continue }
      if note(stanza, in: owner, at: time) { moved.insert(owner) }
    }
    await noteOfflineDeliveries(delivered)
    for archive in moved {
      let isNewIsland = open[archive]?.island.map { $0.row == nil } ?? false
      if isNewIsland || open[archive]?.unstored ?? 0 >= Self.unstoredLimit {
        await storeEnd(of: archive)
      }
      // What was missed before it has two sides now.
      if isNewIsland, refusals[archive] != nil { hub.publish(.archiveChanged(archive)) }
    }
  }

  /// Whether a range may begin with `stanza`: not with a message that is stored already and arrives
  /// again because no ack was received (XEP-0198 §5). Its position is in the middle of a range.
  private func isNew(_ stanza: MessageStanza, in archive: JID) async -> Bool {
    guard let state = open[archive], state.beginsIsland, stanza.delay == nil,
      let id = stanza.stanzaID(by: archive)
    else { return true }
    if state.read.contains(id) { return false }
    do {
      guard let time = try await store.storedTime(of: id, in: archive) else { return !isTakenUp }
      // A local message is known since it was written: a room reflects it in this visit.
      return time >= state.begun || archive != account && isOwn(stanza, in: archive)
    } catch {
      log.warning("whether a message is new could not be read: \(error)")
      return false
    }
  }

  private func isOwn(_ stanza: MessageStanza, in archive: JID) -> Bool {
    if archive == account { return stanza.from?.bare == account }
    return visited[archive]?.isOwn(nick: stanza.from?.resource, occupantID: stanza.occupantID)
      == true
  }

  /// - Returns: whether it moved a range's end.
  private func note(_ stanza: MessageStanza, in archive: JID, at time: Date) -> Bool {
    // A message that arrives late belongs before the end.
    guard open[archive]?.isFollowed == true else { return false }
    if let stamp = stanza.heldBack(by: account)?.stamp {
      open[archive]?.noteOffline(stamp, deliveredAt: time)
    }
    guard stanza.delay == nil, let id = stanza.stanzaID(by: archive) else { return false }
    // What follows a range comes after the last remote message: local ones are no anchor.
    let isAnchor = stanza.isStored && !isOwn(stanza, in: archive)
    open[archive]?.noteLive(id, at: time, isAnchor: isAnchor, in: archive)
    return true
  }

  func storeEnd(of archive: JID) async {
    await writing.serialized(archive) { await writeEnd(of: archive) }
  }

  /// Runs within the serialized writes.
  func writeEnd(of archive: JID) async {
    guard let state = open[archive], let range = state.rangeToStore else { return }
    open[archive]?.storesEnd()
    do {
      let stored = try await store.insert(
        [], making: range, absorbing: [], beginningWithFirst: false, adjoining: .unknown
      ) { _ in false }.range
      guard open[archive]?.number == state.number, open[archive]?.live == nil else { return }
      open[archive]?.noteIslandRow(stored.row)
    } catch {
      // Then these messages are read once more, and known.
      log.warning("the archive's place could not be stored: \(error)")
    }
  }
}
