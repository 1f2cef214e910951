import Diagnostics
import FoundationEssentials
import NatterCore
import XMPP

/// Brings the database up to what archives hold, the account's own and those of rooms (XEP-0313; FLOWS.md 3 and 5).
///
/// After each login it reads on from the last message that is known; the first time, and when much was missed, it takes
/// the newest page, and what lies between is a hole that is filled later, newest first. Older history comes when somebody
/// scrolls to it. Pages are stored together with the range that they make complete, so that an end at any moment leaves a
/// database that knows what it lacks.
package actor ArchiveSynchronizer: SessionConsuming {
  /// An archive of which everything new arrives here by itself.
  struct OpenArchive {
    /// Its newest range, once catch-up is done: live messages move its end.
    var live: ArchiveRange?
    /// Between what is read when the session begins and what comes live in it, whatever the clocks say.
    let border: Date
    /// What came live while catching up: a range of its own until the two meet.
    var island: ArchiveRange?
    /// Whether all that the archive takes in arrives live too.
    var isFollowed: Bool
    /// How many live messages moved an end since it was stored.
    var unstored = 0
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

  var channel: (any StanzaChannel)?
  /// When the session began, by this machine's clock: what comes live is later.
  var beginning: Date?
  /// Archives that cannot be read, in this session.
  var unreadable: Set<JID> = []
  var open: [JID: OpenArchive] = [:]
  var rooms: [JID: RoomSelf] = [:]
  /// Conversations whose past is being fetched.
  var fetching: Set<JID> = []
  /// Holes that the server does not fill, by the range after them, in this session.
  var unfillable: Set<ArchiveCoverage.Hole.Key> = []
  var isFilling = false
  private let wakeUps = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

  static let pageSize = 100
  /// How many pages are read forwards before the newest one is taken.
  static let forwardPages = 2
  /// Losing the end's place costs no more than reading this many messages again.
  static let unstoredLimit = 50
  /// What the server's clock and this machine's may be apart.
  static let clockTolerance: TimeInterval = 7200

  /// - Parameters:
  ///   - inbox: takes what archives hold of commands; `nil`: nobody does.
  ///   - followers: are told of each page of the account's archive when it is stored.
  ///   - isRoom: whether a conversation is a room that is not entered at the moment.
  package init(
    account: JID, store: any ArchiveStoring, deliveries: any OutboxStoring, copies: CarbonCopies,
    hub: EventHub, log: Log, inbox: (any CommandTaking)? = nil,
    followers: [any ArchiveFollowing] = [],
    isRoom: @escaping @Sendable (JID) async -> Bool = { _ in false },
    now: @escaping @Sendable () -> Date = { Date() }
  ) {
    self.account = account.bare
    self.store = store
    self.deliveries = deliveries
    self.copies = copies
    self.followers = followers
    self.hub = hub
    self.log = log
    self.inbox = inbox
    self.isRoom = isRoom
    self.now = now
  }

  /// Fills holes in the background, whenever there is a reason to look for some, until the task is cancelled.
  package func run() async {
    for await _ in wakeUps.stream { await fillHoles() }
  }

  func wakeUp() { wakeUps.continuation.yield() }

  // MARK: - The session

  package func channelOpened(_ channel: any StanzaChannel) { beginning = now() }

  package func sessionStarted(_ session: Session, over channel: any StanzaChannel) async {
    self.channel = channel
    unreadable = []
    unfillable = []
    open = [:]
    // Without copies, what other clients do is in the archive only: the range ends where it was read to.
    let isFollowed = await copies.isOn
    await follow(account, isFollowed: isFollowed, over: channel)
    wakeUp()
  }

  package func sessionResumed() async { wakeUp() }

  package func sessionEnded() async {
    channel = nil
    beginning = nil
    for archive in open.keys { await storeEnd(of: archive) }
    open = [:]
    rooms = [:]
  }

  // MARK: - What arrives live

  package func receive(_ stanzas: [Stanza]) async {
    guard !open.isEmpty else { return }
    var moved: Set<JID> = []
    for case .message(let wrapper) in stanzas {
      let stanza = XEP0280Carbon(wrapper, of: account)?.message ?? wrapper
      let owner = stanza.kind == .groupchat ? stanza.from?.bare : account
      guard let owner, owner == account || rooms[owner] != nil, note(stanza, in: owner) else {
        continue
      }
      moved.insert(owner)
    }
    for archive in moved {
      let isNewIsland = open[archive]?.island.map { $0.row == nil } ?? false
      if isNewIsland || open[archive]?.unstored ?? 0 >= Self.unstoredLimit {
        await storeEnd(of: archive)
      }
    }
  }

  /// - Returns: whether it moved a range's end.
  private func note(_ stanza: MessageStanza, in archive: JID) -> Bool {
    // What comes late has its place before the end.
    guard var state = open[archive], state.isFollowed, stanza.delay == nil,
      let id = stanza.stanzaID(by: archive)
    else { return false }
    if var live = state.live {
      live.end = ArchivePlace(id: id, at: max(live.end.at, now()))
      state.live = live
    } else if var island = state.island {
      island.end = ArchivePlace(id: id, at: max(island.end.at, now()))
      state.island = island
    } else {
      state.island = ArchiveRange(
        archive: archive, start: ArchivePlace(id: id, at: state.border),
        end: ArchivePlace(id: id, at: max(now(), state.border)), reachesBeginning: false)
    }
    state.unstored += 1
    open[archive] = state
    return true
  }

  func storeEnd(of archive: JID) async {
    guard let state = open[archive], state.unstored > 0, let range = state.live ?? state.island
    else { return }
    open[archive]?.unstored = 0
    do {
      let stored = try await store.insert(
        [], making: range, absorbing: [], beginningWithFirst: false
      ) { _ in false }.range
      if open[archive]?.live == nil { open[archive]?.island?.row = stored.row }
    } catch {
      // Then these messages are read once more, and known.
      log.warning("the archive's place could not be stored: \(error)")
    }
  }
}
