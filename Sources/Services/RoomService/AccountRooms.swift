import Diagnostics
import FoundationEssentials
import NatterCore
import XMPP

/// Keeps the user in the rooms of their choice (XEP-0045), and knows the other occupants.
///
/// A façade: its parts do the work, on this actor. It gives them the stanzas and the tasks, and
/// carries out what follows from the stanzas (`RoomState.Effect`). The changes of one batch are
/// applied in one go and published as one event for each room, whether one presence or two
/// thousand.
package actor AccountRooms: SessionConsuming {
  let registry: RoomRegistry
  let loader: RoomLoader
  let addresses: RoomAddresses
  let information: RoomInformation
  let members: RoomMembers
  let presence: RoomPresence
  let refusals: ArchiveRefusals
  let invitations: InvitationInbox
  let joiner: RoomJoiner
  let publisher: BookmarkPublisher
  let notifications: RoomNotificationSettings
  let bookmarks: BookmarkSync
  let moderation: RoomModeration
  let configuration: RoomConfiguration
  let silence: SilenceMonitor

  /// - Parameters:
  ///   - account: the bare JID of the account.
  ///   - addresses: knows which addresses are contacts, and not joined; `nil`: none is known.
  ///   - readsArchives: whether archives of joined rooms are read (`DomainEvent.roomEntered`).
  package init(
    account: JID, store: any BookmarkStoring & RoomPeopleStoring, addresses: AddressBook? = nil,
    hub: EventHub, log: Log, readsArchives: Bool, clock: RoomClock = RoomClock()
  ) {
    registry = RoomRegistry(account: account, store: store, hub: hub, log: log, clock: clock)
    self.addresses = RoomAddresses(registry: registry, contacts: addresses)
    information = RoomInformation(registry: registry)
    members = RoomMembers(registry: registry)
    presence = RoomPresence(registry: registry)
    refusals = ArchiveRefusals(registry: registry, readsArchives: readsArchives)
    invitations = InvitationInbox(registry: registry)
    loader = RoomLoader(registry: registry, invitations: invitations)
    joiner = RoomJoiner(
      registry: registry, addresses: self.addresses, information: information, members: members,
      invitations: invitations, presence: presence, refusals: refusals)
    publisher = BookmarkPublisher(registry: registry)
    notifications = RoomNotificationSettings(registry: registry, publisher: publisher)
    bookmarks = BookmarkSync(
      registry: registry, joiner: joiner, presence: presence, information: information,
      publisher: publisher, notifications: notifications)
    moderation = RoomModeration(registry: registry)
    configuration = RoomConfiguration(registry: registry, information: information)
    silence = SilenceMonitor(registry: registry, joiner: joiner)
  }

  /// Does what has to wait for answers, until the task is cancelled. Call it once.
  package func run() async {
    await withDiscardingTaskGroup { group in
      group.addTask { await self.watchSilence() }
      for await task in registry.tasks { group.addTask { await self.run(task) } }
      group.cancelAll()
    }
  }

  private func watchSilence() async { await silence.watch() }

  func run(_ task: RoomTask) async {
    switch task {
    case .join(let room, let attempt): await joiner.requestEntry(to: room, attempt)
    case .rejoin(let room, let attempt, let pause):
      await joiner.rejoin(room, attempt, after: pause)
    case .configure(let room, let attempt): await configuration.configure(newRoom: room, attempt)
    case .leave(let occupant): await presence.leave(occupant)
    case .sendPresence: await presence.send()
    case .ping(let room): await silence.ping(room)
    case .refresh(let room): await information.refresh(room)
    case .fetchBookmarks: await bookmarks.fetch()
    case .publishBookmark(let room): await publisher.publish(room)
    case .publishNotification(let room): await notifications.publish(of: room)
    case .storeOwnership(let room, let isOwner): await members.storeOwnership(of: room, isOwner)
    case .store(let room): await registry.save(room)
    }
  }

  // MARK: - The session

  /// The current session; `nil`: there is none.
  var session: RoomSession? { registry.session }

  package func channelOpened(_ channel: any StanzaChannel) async {
    if registry.session == nil {
      registry.session = RoomSession(account: registry.account, channel: channel)
    } else {
      registry.session?.resume(account: registry.account, over: channel)
    }
  }

  package func sessionStarted(_ session: Session, over channel: any StanzaChannel) async {
    await channelOpened(channel)
    await loader.load()
    registry.session?.start()
    let early = registry.session?.early ?? []
    for (jid, state) in registry.rooms where !early.contains(jid) {
      if state.room.phase == .outside, state.room.exit?.mayBeUndone == true {
        // The user did not ask for it: a room that is gone is not created anew.
        registry.rooms[jid]?.isFresh = false
        registry.rooms[jid]?.bookmark.isWanted = true
      }
      if registry.rooms[jid]?.bookmark.isWanted == true { joiner.enter(jid) }
    }
    registry.publishChanges()
    bookmarks.resume()
  }

  package func sessionResumed() async {
    // The server held the session, but a room on another server may have removed the user.
    for (jid, state) in registry.rooms where state.room.phase == .inside {
      registry.schedule(.ping(jid))
    }
    for (jid, state) in registry.rooms where state.room.phase == .entering { joiner.enter(jid) }
    for occupant in registry.session?.farewells ?? [] { await presence.leave(occupant) }
    await presence.send()
    // The question, or its answer, went with the connection.
    for jid in registry.session?.changed ?? [] { registry.schedule(.refresh(jid)) }
    bookmarks.resume()
    registry.publishChanges()
  }

  package func sessionEnded() async {
    registry.session?.requests.end()
    registry.session = nil
    for jid in registry.rooms.keys { registry.rooms[jid]?.suspend() }
    registry.publishChanges()
  }

  package func receive(_ stanzas: [Stanza]) async {
    // A session of an earlier run may have events of rooms before `sessionStarted`.
    await loader.load()
    var batch = ArrivedBatch()
    for stanza in stanzas {
      switch stanza {
      case .presence(let presence):
        guard let from = presence.from, registry.rooms[from.bare] != nil else { continue }
        registry.rooms[from.bare]?.lastHeard = registry.clock.now()
        if from.isBare, information.take(presence, of: from) { batch.unsaved.insert(from) }
        let effects = registry.rooms[from.bare]?.apply(presence, nick: from.resource) ?? []
        perform(effects, in: from.bare, &batch)
      case .message(let message):
        // An invitation is a command, which comes by another way.
        guard let from = message.from, XEP0045Invitation(message) == nil else { continue }
        moderation.receive(message, from: from)
        if registry.rooms[from.bare] != nil {
          registry.rooms[from.bare]?.lastHeard = registry.clock.now()
          let effects = registry.rooms[from.bare]?.apply(message, nick: from.resource) ?? []
          perform(effects, in: from.bare, &batch)
        } else if from == registry.account {
          await bookmarks.receive(message)
        }
      case .iq: break
      }
    }
    // First: without it, a user who was removed would be back after a restart.
    for jid in batch.unsaved { await registry.saveArrived(jid) }
    for incident in batch.incidents { registry.hub.publish(.roomIncident(incident)) }
    registry.publishChanges()
  }

  private func perform(_ effects: [RoomState.Effect], in jid: JID, _ batch: inout ArrivedBatch) {
    for effect in effects {
      switch effect {
      case .entered(let isNew): if joiner.entered(jid, isNew: isNew) { batch.unsaved.insert(jid) }
      case .settled: joiner.settled(jid)
      case .exited:
        let exit = registry.rooms[jid]?.room.exit
        registry.log.info("a room was left: \(exit?.cause.rawValue ?? "by wish")")
        if exit?.mayPass == true { joiner.comeBack(to: jid) }
      case .exitedOnTheWay:
        // The user may have been admitted again meanwhile.
        guard let state = registry.rooms[jid], state.sent != nil else { continue }
        registry.schedule(.leave(occupant: state.room.occupant))
      case .lost: joiner.comeBack(to: jid)
      case .doubted(let condition):
        registry.log.info("a room did not take a presence or a message: \(condition)")
        registry.schedule(.ping(jid))
      case .conflict: joiner.tryAnotherNick(jid)
      case .incident(let incident): batch.incidents.append(incident)
      case .voiceRequested(let request): registry.hub.publish(.voiceRequested(request))
      case .bookmarkChanged: batch.unsaved.insert(jid)
      case .notice(let notice): registry.hub.publish(.notice(notice))
      }
    }
  }
}

/// The consequences of a batch of stanzas.
private struct ArrivedBatch {
  /// The rooms whose stored state has changed.
  var unsaved: Set<JID> = []
  /// The incidents that are published once that is stored.
  var incidents: [RoomIncident] = []
}
