import Diagnostics
import FoundationEssentials
import NatterCore
import XML
import XMPP

/// Keeps the user in the rooms of their choice (XEP-0045), and knows the other occupants.
///
/// The changes of one batch are applied in one go and published as one event for each room, whether
/// one presence or two thousand. `run` does what has to wait for a reply, beside the reading.
package actor RoomKeeper: SessionConsuming {
  let account: JID
  let store: any BookmarkStoring & RoomPeopleStoring
  let addresses: AddressBook?
  let hub: EventHub
  let log: Log
  let identifiers: IdentifierSource
  let now: @Sendable () -> Date
  let sleep: @Sendable (Duration) async throws -> Void
  /// Whether room archives are read after joining: then rooms need not send their history.
  let readsArchives: Bool

  var rooms: [JID: RoomState] = [:]
  var channel: (any StanzaChannel)?
  /// Whether the rooms of the previous session, and those the user was faster to join, were joined.
  var hasStarted = false
  var early: Set<JID> = []
  /// The occupant JIDs left while offline: a session that is resumed still has them.
  var farewells: Set<JID> = []
  /// The rooms that are being asked whether the user is still in them.
  var pinged: Set<JID> = []
  /// How the account is seen.
  var own = OwnPresence()
  var bookmarks: ServerBookmarks?
  var pendingInvitations: [RoomInvitation] = []
  /// The part of the own server that has the rooms, once it was asked for.
  var known: JID?
  /// Passwords that came with invitations.
  var invitedPasswords: [JID: String] = [:]
  /// What the bookmarks say of notifications.
  var notifications: [JID: XEP0492Notification] = [:]
  /// The rooms whose notifications are on their way to the server.
  var publishing: Set<JID> = []
  /// Whether the bookmarks were read in this session.
  var hasFetchedBookmarks = false
  /// Bookmarks published in this run and not read back since: a killed server may lose them.
  var published: Set<JID> = []
  /// The rooms with changes that were not read yet. Joining one reads its information anyway.
  var changed: Set<JID> = []
  /// What rooms were asked for with messages and have not answered, by the messages' ids.
  var requests: [String: PendingRoomRequest] = [:]
  /// The rooms, kept over restarts, that are asked for their history when they are joined.
  var refusals: ArchiveRefusals
  var hasLoaded = false
  /// Stores what arrived: once `receive` has returned, it will not arrive again.
  let storage: RetryingWrite
  private let works: AsyncStream<@Sendable () async -> Void>
  private let queue: AsyncStream<@Sendable () async -> Void>.Continuation

  /// After this many seconds of silence a room is asked whether the user is in it (XEP-0410 §3).
  static let silenceLimit: TimeInterval = 900
  /// How often it is looked whether there is such a room.
  static let checkInterval = Duration.seconds(300)

  /// - Parameters:
  ///   - account: the bare address of one's own account.
  ///   - addresses: knows which addresses are contacts, and not joined; `nil`: none is known.
  ///   - readsArchives: whether archives of joined rooms are read (`DomainEvent.roomEntered`).
  ///   - memory: which rooms do not let their archives be read is known there at the next start.
  package init(
    account: JID, store: any BookmarkStoring & RoomPeopleStoring, addresses: AddressBook? = nil,
    hub: EventHub, log: Log, readsArchives: Bool, memory: (any PreferenceStoring)? = nil,
    identifiers: IdentifierSource = IdentifierSource(),
    now: @escaping @Sendable () -> Date = { Date() },
    sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
  ) {
    self.account = account.bare
    self.store = store
    self.addresses = addresses
    self.hub = hub
    self.log = log
    self.readsArchives = readsArchives
    refusals = ArchiveRefusals(memory)
    self.identifiers = identifiers
    self.now = now
    self.sleep = sleep
    storage = RetryingWrite(hub: hub, sleep: sleep) { log.error($0) }
    (works, queue) = AsyncStream<@Sendable () async -> Void>.makeStream()
  }

  /// Does what has to wait for answers, until the task is cancelled. Call it once.
  package func run() async {
    await withDiscardingTaskGroup { group in
      group.addTask { await self.watchSilence() }
      for await work in works { group.addTask { await work() } }
      group.cancelAll()
    }
  }

  /// Has `run` do `work` beside everything else.
  func aside(_ work: @escaping @Sendable () async -> Void) { queue.yield(work) }

  // MARK: - The session

  package func channelOpened(_ channel: any StanzaChannel) async {
    self.channel = channel
    bookmarks = ServerBookmarks(account: account, channel: channel, reading: bookmarks?.reading)
  }

  package func sessionStarted(_ session: Session, over channel: any StanzaChannel) async {
    await channelOpened(channel)
    await load()
    (hasStarted, hasFetchedBookmarks, farewells) = (true, false, [])
    for (jid, state) in rooms where !early.contains(jid) {
      if state.room.phase == .outside, state.room.exit?.mayBeUndone == true {
        // The user did not ask for it: a room that is gone is not created anew.
        rooms[jid]?.isFresh = false
        rooms[jid]?.bookmark.isWanted = true
      }
      if rooms[jid]?.bookmark.isWanted == true { enter(jid) }
    }
    publishChanges()
    aside { [weak self] in await self?.fetchBookmarks() }
  }

  package func sessionResumed() async {
    // The server held the session, but a room on another server may have removed the user.
    for (jid, state) in rooms where state.room.phase == .inside {
      aside { [weak self] in await self?.ping(jid) }
    }
    for (jid, state) in rooms where state.room.phase == .entering { enter(jid) }
    for occupant in farewells { await sayFarewell(from: occupant) }
    await sendPresence()
    // The question, or its answer, went with the connection.
    for jid in changed { aside { [weak self] in await self?.refresh(jid) } }
    // What was changed while there was no connection.
    for (jid, state) in rooms where state.bookmark.isChanged { publishBookmark(of: jid) }
    publishChanges()
  }

  package func sessionEnded() async {
    channel = nil
    bookmarks = nil
    (hasStarted, hasFetchedBookmarks) = (false, false)
    (early, changed) = ([], [])
    endRequests()
    for jid in rooms.keys { rooms[jid]?.suspend() }
    publishChanges()
  }

  package func receive(_ stanzas: [Stanza]) async {
    // A session of an earlier run may have events of rooms before `sessionStarted`.
    await load()
    var unsaved: Set<JID> = []
    for stanza in stanzas {
      switch stanza {
      case .presence(let presence):
        guard let from = presence.from, rooms[from.bare] != nil else { continue }
        rooms[from.bare]?.lastHeard = now()
        if from.isBare, rooms[from]?.takePicture(presence) == true { unsaved.insert(from) }
        let effects = rooms[from.bare]?.apply(presence, nick: from.resource) ?? []
        perform(effects, in: from.bare, &unsaved)
      case .message(let message):
        // An invitation is a command, which comes by another way.
        guard let from = message.from, XEP0045Invitation(message) == nil else { continue }
        answered(message, from: from)
        if rooms[from.bare] != nil {
          rooms[from.bare]?.lastHeard = now()
          let effects = rooms[from.bare]?.apply(message, nick: from.resource) ?? []
          perform(effects, in: from.bare, &unsaved)
        } else if from == account {
          await bookmarksPushed(message)
        }
      case .iq: break
      }
    }
    publishChanges()
    for jid in unsaved { await saveArrived(jid) }
  }

  private func perform(_ effects: [RoomState.Effect], in jid: JID, _ unsaved: inout Set<JID>) {
    for effect in effects {
      switch effect {
      case .entered(let isNew): entered(jid, isNew: isNew)
      case .settled: settled(jid)
      case .exited:
        log.info("a room was left: \(rooms[jid]?.room.exit?.cause.rawValue ?? "by wish")")
        if rooms[jid]?.room.exit?.mayPass == true { comeBack(to: jid) }
      case .exitedOnTheWay:
        // The user may have been admitted again meanwhile.
        guard let occupant = rooms[jid]?.room.occupant, rooms[jid]?.sent != nil else { continue }
        aside { [weak self] in await self?.sayFarewell(from: occupant) }
      case .lost: comeBack(to: jid)
      case .doubted(let condition):
        log.info("a room did not take a presence or a message: \(condition)")
        aside { [weak self] in await self?.ping(jid) }
      case .conflict: tryAnotherNick(jid)
      case .incident(let incident): hub.publish(.roomIncident(incident))
      case .voiceRequested(let request): hub.publish(.voiceRequested(request))
      case .bookmarkChanged: unsaved.insert(jid)
      case .notice(let notice): hub.publish(.notice(notice))
      }
    }
  }

  /// Publishes the changes: one event for the occupants of each room, one for all rooms.
  func publishChanges() {
    var changed: [Room] = []
    for jid in rooms.keys {
      for settled in rooms[jid]?.takeSettledVoices() ?? [] {
        hub.publish(.voiceRequestSettled(settled))
      }
      guard let (room, people) = rooms[jid]?.takeChanges() else { continue }
      if let people { hub.publish(.occupantsChanged(people)) }
      if let room { changed.append(room) }
    }
    if !changed.isEmpty { hub.publish(.roomsChanged(changed)) }
  }

  /// The nick of the user in rooms for which they chose no other.
  var defaultNick: String { account.local ?? account.domain }

  // MARK: - Silence (XEP-0410)

  private func watchSilence() async {
    while !Task.isCancelled {
      do { try await sleep(Self.checkInterval) } catch { return }
      let limit = now().addingTimeInterval(-Self.silenceLimit)
      for (jid, state) in rooms where channel != nil {
        if state.room.phase == .inside, state.lastHeard < limit {
          aside { [weak self] in await self?.ping(jid) }
        } else if state.room.phase == .outside, state.room.exit?.mayPass == true {
          rooms[jid]?.bookmark.isWanted = true
          enter(jid)
        }
      }
      publishChanges()
    }
  }

  /// Asks the room whether the user is in it, and joins again if they are not.
  func ping(_ jid: JID) async {
    guard let channel, let state = rooms[jid], state.room.phase == .inside,
      pinged.insert(jid).inserted
    else { return }
    defer { pinged.remove(jid) }
    let attempt = state.attempt
    let question = Element(
      "iq", Namespace.client, ["type": "get", "to": state.room.occupant.description],
      [Element("ping", Namespace.ping)])
    do {
      _ = try await channel.request(question)
      rooms[jid]?.lastHeard = now()
    } catch let error as StanzaError {
      switch error.condition {
      // The room passed it on to a client without ping, or to another nick of this account.
      case .serviceUnavailable, .featureNotImplemented, .itemNotFound:
        rooms[jid]?.lastHeard = now()
      // Nothing is known.
      case .remoteServerNotFound, .remoteServerTimeout: break
      default:
        guard rooms[jid]?.attempt == attempt, rooms[jid]?.room.phase == .inside else { return }
        log.info("a room had forgotten this client: going back in")
        rooms[jid]?.suspend()
        enter(jid)
        publishChanges()
      }
    } catch {
      // The connection's own heartbeat says what becomes of it.
    }
  }
}

extension RoomKeeper: RoomReading {
  package func rooms() async -> [Room] {
    await load()
    return rooms.values.map {
      var room = $0.room
      room.people = $0.occupants.count
      return room
    }
  }

  package func occupants(of room: JID) -> [Occupant] {
    rooms[room.bare].map { Array($0.occupants.values) } ?? []
  }
}

extension RoomKeeper: MessageRouting {
  /// The route by the state of the room that `conversation` is in; direct if it is in none.
  package func route(to conversation: JID) async -> MessageRoute {
    await load()
    guard let state = rooms[conversation.bare] else { return .direct }
    switch state.room.phase {
    // A room that may admit the user later is tried again by itself.
    case .outside: return state.room.exit?.mayPass == true ? .held : .outside
    case .entering: return .held
    case .inside:
      guard state.hasSettled else { return .held }
      return conversation.isBare ? .room : .occupant
    }
  }
}

extension RoomKeeper: RoomViewing {
  package func knows(_ room: JID) async -> Bool {
    await load()
    return rooms[room.bare] != nil
  }

  package func views() -> [JID: RoomMembership] {
    rooms.compactMapValues(\.membership)
  }
}
