import Diagnostics
import FoundationEssentials
import NatterCore
import XMPP

/// Brings the database up to the archives (XEP-0313; flows.md, "Data sync" and "Receiving").
///
/// After each login it reads on from the last message that is known; the first time, and when much was missed, it takes
/// the newest page, and what lies between is a hole that is filled later, newest first. Older history comes when somebody
/// scrolls to it. Pages are stored together with the range that they make complete, so that an end at any moment leaves a
/// database that knows what it lacks.
package actor ArchiveSynchronizer: SessionConsuming {
  /// An archive of which everything new arrives here by itself.
  struct OpenArchive {
    /// How far an archive is compared with what came live.
    struct Unchecked {
      /// Up to where it is known to be complete: no later message is stored as its end.
      var place: ArchivePosition
      /// The archive's id of the last message up to there that tells by its time where it stands.
      var anchor: String?
      /// What was sent since is news, over however many connections the comparison goes.
      let since: Date

      init(from place: ArchivePosition, _ anchor: String?) {
        (self.place, self.anchor, since) = (place, anchor, place.at)
      }
    }

    /// Which reading of it this is, of all in this run.
    let number: Int
    /// Of a room: in which visit it is read.
    let visit: Int?
    /// Its newest range, once catch-up is done: live messages move its end.
    var live: ArchiveRange?
    /// While what came live is still to be compared with the archive.
    var unchecked: Unchecked?
    /// Before what something crossed on its way that was typed here: from there it is to be read again.
    var crossed: Set<ArchivePosition> = []
    /// Whether the archive does not let it be compared, over this connection.
    var isIncomparable = false
    /// How often more was left to compare than is compared at once, over this connection.
    var longChecks = 0
    /// Over which connection this reading began.
    let connection: Int
    /// When this reading began.
    let begun: Date
    /// Between what is read when the session begins and what comes live in it, whatever the clocks say.
    var border: Date
    /// Whether the border is known to be after all that is stored, and `isFollowed` is known: until then nothing is.
    var isPrepared = false
    /// Whether catch-up ended early: there is something that it has not read.
    var isBehind = false
    /// What came live while catching up: a range of its own until the two meet.
    var island: ArchiveRange?
    /// What the island consists of, in the order in which it came, and what was read while catching up.
    var arrived: [String] = []
    var read: Set<String> = []
    /// Whether all that the archive takes in arrives live too.
    var isFollowed: Bool
    /// How many live messages moved an end since it was stored.
    var unstored = 0

    var isToCompare: Bool {
      (unchecked != nil || !crossed.isEmpty) && live != nil && !isIncomparable
    }
  }

  let account: JID
  let store: any ArchiveStoring
  let copies: CarbonCopies
  let hub: EventHub
  let log: Log
  let now: @Sendable () -> Date
  let isRoom: @Sendable (JID) async -> Bool
  let inbox: (any CommandTaking)?
  let deliveries: any OutboxStoring
  let followers: [any ArchiveFollowing]
  let rooms: (any RoomViewing & RoomReading)?
  let memory: (any PreferenceStoring)?
  let languages: [String]
  let sleep: @Sendable (Duration) async throws -> Void

  var channel: (any StanzaChannel)?
  /// Whether the account's own archive is read, or was, in this session.
  var hasStarted = false
  /// Whether the session is one of an earlier run of the program, or one that was cut off at its beginning.
  var isTakenUp = false
  /// Archives that cannot be read, in this session.
  var unreadable: Set<JID> = []
  /// Those of rooms that announce one, and why.
  var refusals: [JID: HistoryRefusal] = [:]
  /// Whether an archive takes two ids at once, as far as it was asked in this session.
  var extended: [JID: Bool] = [:]
  var open: [JID: OpenArchive] = [:]
  /// The rooms that were entered, each as it was told then.
  var visited: [JID: RoomMembership] = [:]
  /// Conversations whose past is being fetched.
  var fetching: Set<JID> = []
  /// Who reads an archive, one after the other.
  let turns = KeyedSerializer<JID>()
  /// Who stores what is known of an archive, one after the other: whoever had looked at it before somebody else stored it would
  /// put back what it was.
  let writing = KeyedSerializer<JID>()
  /// Who reads the newest of a conversation that nothing is known of, one after the other.
  let describing = KeyedSerializer<JID>()
  /// Holes that the server does not fill, by the range after them, in this session.
  var filling = HoleFilling()
  /// Whether the account's past was looked through for people on no list, or cannot be, and whom it has told of, in this session.
  var pastSearch = PastSearch()
  private var readings = 0
  /// Catching up again after it ended early, and when somebody asked for that who looks at what is missing.
  var (isRetryDue, retriedAt) = (false, Date.distantPast)
  /// Seconds after which he may ask for it again.
  static let retryPause: TimeInterval = 5
  private var isPausing = false
  private var failures = 0
  /// Connections in this run of the program, and whether somebody waits for the newest one to settle.
  var connections = 0
  var isSettling = false
  /// The connection over which the newest of a conversation was asked for in vain: the others would be, too.
  var silentConnection: Int?
  var arrivals = MonotonicArrivalClock()
  /// What sessions were handed over that ended before the archive was read; `nil` until it was looked up.
  var handedOver: OfflineDeliveryLog?
  /// Whether this session was handed something over, and the one before it. One of an earlier run may have been.
  var (wasHandedOver, wasHandedBefore) = (true, true)
  /// When that was last kept.
  var handoversKeptAt = Date.distantPast
  /// Whether there is a reason to look for what is missing that nobody has looked at yet.
  private var isWoken = false
  private let wakeUps = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

  static let pageSize = 100
  /// How many pages are read forwards before the newest one is taken.
  static let forwardPages = 2
  /// Losing the end's place costs no more than reading this many messages again.
  static let unstoredLimit = 50
  /// How much of what comes live while catching up is remembered one by one.
  static let arrivedLimit = 2000
  /// What the server's clock and this machine's may be apart.
  static let clockTolerance: TimeInterval = 7200
  /// What a time in an archive and the one that is stored here may be apart: whole seconds there, microseconds here.
  static let stampTolerance: TimeInterval = 1
  /// Seconds until catching up is tried again: twice as long each time, up to the limit.
  private static let (pause, pauseLimit) = (15, 600)

  /// - Parameters:
  ///   - inbox: takes what archives hold of commands; `nil`: nobody does.
  ///   - followers: are told of each page of the account's archive when it is stored.
  ///   - memory: keeps how far the account's past was looked through for people on no list; `nil`: it is not.
  ///   - rooms: knows in which visit the account is in a room, and what it is called where it is not; `nil`: nobody does.
  ///   - languages: what the user reads, the preferred language first.
  ///   - isRoom: whether a conversation is a room that is not entered at the moment.
  package init(
    account: JID, store: any ArchiveStoring, deliveries: any OutboxStoring, copies: CarbonCopies,
    hub: EventHub, log: Log, inbox: (any CommandTaking)? = nil,
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

  /// Fills holes in the background, whenever there is a reason to look for some, and catches up where that ended early,
  /// until the task is cancelled.
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

  /// How long to wait before catching up is tried again; `nil` when nothing is behind, or that is being waited for.
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
    (isTakenUp, wasHandedBefore, wasHandedOver) = (false, wasHandedOver, false)
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
    // Without copies, what other clients do is in the archive only: the range ends where it was read to.
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
    if wasHandedOver { await keepHandovers() }
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
    var handed: [String] = []
    for (item, time) in zip(stanzas, times) {
      guard case .message(let wrapper) = item else { continue }
      let carbon = XEP0280Carbon(wrapper, of: account)
      if carbon == nil, let id = handedOverID(wrapper) { handed.append(id) }
      let stanza = carbon?.message ?? wrapper
      let owner = stanza.kind == .groupchat ? stanza.from?.bare : account
      guard let owner else { continue }
      if owner != account {
        // What is said in another visit comes after what was missed between the two, which the archive has to tell first.
        guard visited[owner] != nil, views == nil || views?[owner]?.visit == open[owner]?.visit
        else { continue }
      }
      guard await isNew(stanza, in: owner) else { continue }
      if note(stanza, in: owner, at: time) { moved.insert(owner) }
    }
    await wereHandedOver(handed)
    for archive in moved {
      let isNewIsland = open[archive]?.island.map { $0.row == nil } ?? false
      if isNewIsland || open[archive]?.unstored ?? 0 >= Self.unstoredLimit {
        await storeEnd(of: archive)
      }
      // What was missed before it has two sides now.
      if isNewIsland, refusals[archive] != nil { hub.publish(.archiveChanged(archive)) }
    }
  }

  /// Whether what is known may begin with `stanza`: not with what was here before, and has come again because nobody had
  /// acknowledged it (XEP-0198 §5). That is in the middle of what is known already.
  private func isNew(_ stanza: MessageStanza, in archive: JID) async -> Bool {
    guard let state = open[archive], state.live == nil, state.island == nil,
      stanza.delay == nil, let id = stanza.stanzaID(by: archive)
    else { return true }
    if state.read.contains(id) { return false }
    do {
      guard let time = try await store.storedTime(of: id, in: archive) else { return !isTakenUp }
      // What was typed here is known from when it was typed on: a room gives it back in this visit.
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
    // What comes late has its place before the end.
    guard var state = open[archive], state.isFollowed else { return false }
    if let stamp = stanza.heldBack(by: account)?.stamp, state.live == nil, state.island == nil {
      // What the server had kept is before what comes live, however long the session has been without.
      open[archive]?.border = max(state.border, min(stamp, time) + ArchiveOrder.step)
    }
    guard stanza.delay == nil, let id = stanza.stanzaID(by: archive) else { return false }
    // What follows a range comes after the last message that somebody else has sent: when one was typed here tells nothing.
    let isAnchor = stanza.isStored && !isOwn(stanza, in: archive)
    if var live = state.live {
      live.end = ArchivePosition(id: id, at: max(live.end.at, time))
      if isAnchor { live.anchor = id }
      state.live = live
    } else if var island = state.island {
      island.end = ArchivePosition(id: id, at: max(island.end.at, time))
      if isAnchor { island.anchor = id }
      state.island = island
      if state.arrived.count < Self.arrivedLimit { state.arrived.append(id) }
    } else {
      state.island = ArchiveRange(
        archive: archive, start: ArchivePosition(id: id, at: state.border),
        end: ArchivePosition(id: id, at: max(time, state.border)), reachesBeginning: false,
        anchor: isAnchor ? id : nil)
      state.arrived = [id]
    }
    state.unstored += 1
    open[archive] = state
    return true
  }

  func storeEnd(of archive: JID) async {
    await writing.inTurn(archive) { await writeEnd(of: archive) }
  }

  /// Within one's turn to store.
  func writeEnd(of archive: JID) async {
    guard let state = open[archive], state.isPrepared, state.unstored > 0,
      var range = state.live ?? state.island
    else { return }
    if state.live == nil {
      // That there is something, and a hole before it; whether it lacks anything itself is not known yet.
      (range.end.id, range.anchor) = (range.start.id, nil)
    } else if let unchecked = state.unchecked {
      (range.end, range.anchor) = (unchecked.place, unchecked.anchor)
    }
    open[archive]?.unstored = 0
    do {
      let stored = try await store.insert(
        [], making: range, absorbing: [], beginningWithFirst: false, adjoining: .unknown
      ) { _ in false }.range
      guard open[archive]?.number == state.number, open[archive]?.live == nil else { return }
      open[archive]?.island?.row = stored.row
    } catch {
      // Then these messages are read once more, and known.
      log.warning("the archive's place could not be stored: \(error)")
    }
  }
}
