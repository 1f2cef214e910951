import Diagnostics
import FoundationEssentials
import NatterCore
import XML
import XMPP

/// Joins and leaves rooms (XEP-0045 §7), for the user, for a bookmark, or for a new session.
final class RoomJoiner {
  private let registry: RoomRegistry
  private let addresses: RoomAddresses
  private let information: RoomInformation
  private let members: RoomMembers
  private let invitations: InvitationInbox
  private let presence: RoomPresence
  private let refusals: ArchiveRefusals

  init(
    registry: RoomRegistry, addresses: RoomAddresses, information: RoomInformation,
    members: RoomMembers, invitations: InvitationInbox, presence: RoomPresence,
    refusals: ArchiveRefusals
  ) {
    self.registry = registry
    self.addresses = addresses
    self.information = information
    self.members = members
    self.invitations = invitations
    self.presence = presence
    self.refusals = refusals
  }

  func join(_ room: JID, nick: String?, password: String?) async throws {
    let jid = room.bare
    try await addresses.refusePerson(jid)
    let wanted = nick ?? registry.rooms[jid]?.bookmark.nick ?? registry.defaultNick
    guard let occupant = jid.with(resource: wanted), let prepared = occupant.resource else {
      throw NatterError(.invalidInput, "error.room.badNick", ["name": wanted])
    }
    if let current = registry.rooms[jid]?.room, current.phase == .inside {
      if prepared != current.nick { try await changeNick(prepared, in: jid) }
      try await openConversation(of: jid)
      // The program may have ended after the room was stored.
      return await settleInvitation(to: jid)
    }
    let unknown = RoomState(bookmark: Bookmark(room: jid), nick: prepared)
    try await registry.decide(on: jid, from: unknown) {
      begin(&$0, as: prepared, password: password)
    }
    try await openConversation(of: jid)
    registry.publishChanges()
    // The user may have left again while the conversation was opened; a room that has refused an
    // earlier attempt meanwhile is asked again.
    if let state = registry.rooms[jid], state.bookmark.isWanted || state.room.exit != nil {
      enter(jid)
    }
    await settleInvitation(to: jid)
  }

  /// The user has joined the room; an invitation that stays pending only has to be answered again.
  private func settleInvitation(to jid: JID) async {
    do { try await invitations.settle(jid) } catch {
      registry.log.warning("an answered invitation could not be removed: \(error)")
    }
  }

  /// Has the room entered because the user asks for it.
  private func begin(_ state: inout RoomState, as nick: String, password: String?) {
    state.isFresh = true
    state.retries = EntryRetries()
    let before = state.room.exit
    state.begin(as: nick)
    state.bookmark.nick = nick
    state.bookmark.isWanted = true
    // Anyone can invite: an invitation's password replaces only one that the room has refused.
    let known = before?.cause == .passwordWrong ? nil : state.bookmark.password
    state.bookmark.password =
      password ?? known ?? invitations.password(for: state.room.jid) ?? state.bookmark.password
  }

  func leave(_ room: JID) async throws {
    let jid = room.bare
    guard let state = registry.rooms[jid] else { return }
    let (occupant, wasKept) = try await registry.decide(on: jid, from: state) { state in
      let wasKept = state.bookmark.autojoins
      let occupant = state.giveUp()
      if wasKept { state.bookmark.noteChange() }
      return (occupant, wasKept)
    }
    registry.publishChanges()
    if wasKept { registry.schedule(.publishBookmark(jid)) }
    if let occupant { await presence.leave(occupant) }
  }

  func changeNick(_ nick: String, in room: JID) async throws {
    let jid = room.bare
    guard let occupant = jid.with(resource: nick), let prepared = occupant.resource else {
      throw NatterError(.invalidInput, "error.room.badNick", ["name": nick])
    }
    guard let state = registry.rooms[jid] else {
      throw NatterError(.refused, "error.room.notInside")
    }
    switch state.room.phase {
    case .inside:
      guard prepared != state.room.nick else { return try await keepNick(in: jid) }
      registry.rooms[jid]?.askedNick = prepared
      try await registry.send(Element("presence", Namespace.client, ["to": occupant.description]))
    case .outside where state.room.exit?.cause == .nickTaken,
      .outside where state.room.exit?.cause == .nickRefused, .entering:
      try await join(jid, nick: prepared, password: nil)
    case .outside: throw NatterError(.refused, "error.room.notInside")
    }
  }

  /// The user's nick in the room is the one they want, even if it was made up after a conflict.
  private func keepNick(in jid: JID) async throws {
    guard let state = registry.rooms[jid], state.takenNick != nil else { return }
    try await registry.decide(on: jid, from: state) { $0.keepNick() }
  }

  // MARK: - The way in

  /// Begins to enter, when there is a connection.
  func enter(_ jid: JID) {
    guard let state = registry.rooms[jid] else { return }
    registry.session?.forgetFarewells(to: jid)
    registry.rooms[jid]?.begin(as: state.wantedNick)
    guard registry.channel != nil, let attempt = registry.rooms[jid]?.attempt else { return }
    if registry.session?.hasStarted == false { registry.session?.early.insert(jid) }
    registry.schedule(.join(jid, attempt: attempt))
  }

  /// Joins a room again that has lost the user, but with a delay if that repeats: two clients with
  /// one nick would remove each other forever. A room that refuses for now is left alone.
  func comeBack(to jid: JID) {
    guard let state = registry.rooms[jid] else { return }
    let pause = registry.rooms[jid]?.retries.pause(
      lostAt: registry.clock.now(), mayReturnAtOnce: state.room.phase == .entering)
    guard let pause else { return enter(jid) }
    registry.log.info("a room does not keep this client: going back in after \(pause) s")
    registry.schedule(.rejoin(jid, attempt: state.attempt, after: .seconds(pause)))
  }

  /// Joins again after a pause, unless the room was left, or joined again, in the meantime.
  func rejoin(_ jid: JID, _ attempt: Int, after pause: Duration) async {
    do { try await registry.clock.sleep(pause) } catch { return }
    guard registry.channel != nil, let state = registry.rooms[jid], state.attempt == attempt,
      state.room.phase == .entering || state.room.exit?.mayPass == true
    else { return }
    enter(jid)
    registry.publishChanges()
  }

  /// Asks what kind of room it is, asks to come in, and sees to it that there is an answer.
  func requestEntry(to jid: JID, _ attempt: Int) async {
    do {
      guard try await prepare(jid, attempt), let channel = registry.channel,
        let state = registry.rooms[jid], state.attempt == attempt
      else { return }
      let history = try await history(of: jid)
      guard registry.rooms[jid]?.attempt == attempt else { return }
      let own = presence.own
      var stanza = Element(
        "presence", Namespace.client, ["to": state.room.occupant.description],
        [XEP0045.entrance(password: state.bookmark.password, history: history)] + own.elements)
      stanza["id"] = registry.identifiers.next()
      registry.rooms[jid]?.sent = own
      try await channel.send(stanza)
    } catch is ChannelError {
      return  // The next session enters again.
    } catch {
      registry.log.error("entering a room failed: \(error)")
    }
    await seeIn(jid, attempt)
  }

  private func seeIn(_ jid: JID, _ attempt: Int) async {
    for _ in 1...EntryLimits.answerSteps {
      do { try await registry.clock.sleep(EntryLimits.patience) } catch { return }
      guard let state = registry.rooms[jid], state.attempt == attempt, !state.hasSettled else {
        return
      }
      if state.room.phase == .inside {
        // A room that sends no subject.
        settled(jid)
        return registry.publishChanges()
      }
    }
    await end(jid, RoomExit(.unreachable))
  }

  /// The user was refused; without a decision of a moderator, the room is tried again.
  private func end(_ jid: JID, _ exit: RoomExit) async {
    registry.rooms[jid]?.end(exit)
    if exit.mayPass { comeBack(to: jid) }
    registry.publishChanges()
    await registry.save(jid)
  }

  /// Learns what the room is (XEP-0045 §6.4).
  /// - Returns: `true` if the attempt goes on.
  private func prepare(_ jid: JID, _ attempt: Int) async throws -> Bool {
    guard let channel = registry.channel else { return false }
    do {
      try await information.read(jid, while: { registry.rooms[jid]?.attempt == attempt }) {
        try await channel.request($0, timeout: .seconds(20))
      }
    } catch let error as StanzaError {
      guard registry.rooms[jid]?.attempt == attempt else { return false }
      if let exit = await exit(for: error, from: jid) {
        guard registry.rooms[jid]?.attempt == attempt else { return false }
        await end(jid, exit)
        return false
      }
      // A room that is not there yet is made by entering it; others answer only to those inside.
    } catch ChannelError.timedOut {
      // The entrance has a time limit of its own.
    }
    return registry.rooms[jid]?.attempt == attempt
  }

  /// Returns the reason against joining a room that answered like this; `nil`: there is none.
  private func exit(for error: StanzaError, from jid: JID) async -> RoomExit? {
    switch error.condition {
    case .remoteServerNotFound, .remoteServerTimeout:
      return RoomExit(.unreachable, reason: error.certainText)
    case .itemNotFound:
      // It is gone. Joining by itself would create it anew, with this account as its owner.
      guard let state = registry.rooms[jid], !state.mayBeMade, await !members.isOwner(of: jid)
      else { return nil }
      return RoomExit(.notFound, reason: error.certainText)
    default: return nil
    }
  }

  /// The history that the room is asked to send.
  private func history(of jid: JID) async throws -> XEP0045.History {
    let newest = try await registry.store.newestMessage(in: jid)
    registry.rooms[jid]?.history.isKnown = newest != nil
    registry.rooms[jid]?.history.newestID = newest?.id
    if let state = registry.rooms[jid], refusals.readsArchive(of: state.room) { return .none }
    return XEP0045.History(
      after: newest.map { ($0.at, $0.isRoomsWord) }, now: registry.clock.now())
  }

  private func openConversation(of jid: JID) async throws {
    let conversation = try await registry.store.openConversation(
      of: jid, name: registry.rooms[jid]?.room.name)
    registry.hub.publish(.conversationsChanged([conversation]))
  }

  // MARK: - Inside

  /// - Returns: `true` if the room is bookmarked from now on, which is to be stored.
  func entered(_ jid: JID, isNew: Bool) -> Bool {
    guard let state = registry.rooms[jid] else { return false }
    registry.rooms[jid]?.retries.entered(at: registry.clock.now())
    if isNew { registry.schedule(.configure(newRoom: jid, attempt: state.attempt)) }
    if state.sent?.looks(like: presence.own) != true { registry.schedule(.sendPresence) }
    registry.schedule(.storeOwnership(jid, state.room.affiliation == .owner))
    guard state.isFresh || state.bookmark.lacksPublication else { return false }
    registry.rooms[jid]?.isFresh = false
    registry.rooms[jid]?.bookmark.autojoins = true
    registry.rooms[jid]?.bookmark.noteChange()
    registry.rooms[jid]?.update { $0.autojoins = true }
    registry.schedule(.publishBookmark(jid))
    return true
  }

  /// The room has sent its history and its subject: pending messages can go.
  func settled(_ jid: JID) {
    guard let state = registry.rooms[jid], !state.hasSettled else { return }
    registry.rooms[jid]?.hasSettled = true
    registry.rooms[jid]?.history.isKnown = true
    refusals.forget(jid)
    registry.hub.publish(.roomEntered(jid, hasArchive: state.room.traits.contains(.archive)))
  }

  func tryAnotherNick(_ jid: JID) {
    guard let state = registry.rooms[jid] else { return }
    guard registry.rooms[jid]?.retries.takeNick() == true else {
      // The report names the nick that the user wanted.
      registry.rooms[jid]?.update { $0.nick = state.wantedNick }
      registry.rooms[jid]?.end(RoomExit(.nickTaken))
      return
    }
    registry.rooms[jid]?.beginAsAnother()
    guard let attempt = registry.rooms[jid]?.attempt else { return }
    registry.schedule(.join(jid, attempt: attempt))
  }
}

extension Bookmark {
  /// `true` for a room that the user asked to enter in an earlier run, which ended before the room
  /// had admitted them. A bookmark of another client says itself whether the room is entered.
  fileprivate var lacksPublication: Bool { isWanted && !autojoins && !isPublished }
}
