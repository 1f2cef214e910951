import Diagnostics
import FoundationEssentials
import NatterCore
import XML
import XMPP

// Going in and out (XEP-0045 §7).
extension RoomKeeper: RoomEntering {
  package func join(_ room: JID, nick: String?, password: String?) async throws {
    await load()
    let jid = room.bare
    try await refusePerson(jid)
    let wanted = nick ?? rooms[jid]?.bookmark.nick ?? defaultNick
    guard let occupant = jid.with(resource: wanted), let prepared = occupant.resource else {
      throw NatterError(.invalidInput, "error.room.badNick", ["name": wanted])
    }
    var state = rooms[jid] ?? RoomState(bookmark: Bookmark(room: jid), nick: prepared)
    if state.room.phase == .inside {
      if prepared != state.room.nick { try await changeNick(prepared, in: jid) }
      return try await openConversation(of: jid)
    }
    state.isFresh = true
    (state.losses, state.insideSince) = (0, nil)
    state.conflicts = 0
    let before = state.room.exit
    state.begin(as: prepared)
    state.bookmark.nick = prepared
    state.bookmark.isWanted = true
    // Anyone can invite: an invitation's password replaces only one that the room has refused.
    let known = before?.cause == .passwordWrong ? nil : state.bookmark.password
    state.bookmark.password = password ?? known ?? invitedPasswords[jid] ?? state.bookmark.password
    rooms[jid] = state
    await settleInvitation(to: jid)
    try await store.save(state.bookmark)
    try await openConversation(of: jid)
    publishChanges()
    enter(jid)
  }

  /// Refuses to join a contact: the conversation would become a room's for good, and no reply would
  /// come. The server knows whether an address is a room's.
  /// - Throws: `NatterError` when `jid` is a person's.
  private func refusePerson(_ jid: JID) async throws {
    guard rooms[jid] == nil, let owner = try await addresses?.owner(of: jid) else { return }
    if owner == .room || owner == .unknown && hasRoom(at: jid.domain) { return }
    let kind = await inquiry.kind(of: jid)
    guard owner == .person ? kind != .room : kind == .person else { return }
    throw NatterError(.invalidInput, "error.room.isPerson", ["address": jid.description])
  }

  /// Whether `address` is a room: a known one, or by the answer of its service (XEP-0030 §3.1).
  package func isRoom(_ address: JID) async -> Bool {
    if await knows(address) { return true }
    return await inquiry.kind(of: address) == .room
  }

  var inquiry: AddressInquiry { AddressInquiry(channel: channel) }

  /// Whether one of the account's rooms is at `domain`, or new ones are made there.
  private func hasRoom(at domain: String) -> Bool {
    known?.domain == domain || rooms.keys.contains { $0.domain == domain }
  }

  package func hosts(_ address: JID) async -> Bool {
    if await knows(address) { return true }
    guard hasRoom(at: address.domain) else { return false }
    // People of a gateway have addresses beside its rooms.
    do { return try await addresses?.owner(of: address.bare) != .person } catch {
      log.warning("looking for the owner of an address failed: \(error)")
      return true
    }
  }

  package func leave(_ room: JID) async throws {
    await load()
    let jid = room.bare
    guard var state = rooms[jid] else { return }
    let wasKept = state.bookmark.autojoins
    let occupant = state.giveUp()
    state.bookmark.isChanged = state.bookmark.isChanged || wasKept
    rooms[jid] = state
    publishChanges()
    try await store.save(state.bookmark)
    if wasKept { publishBookmark(of: jid) }
    if let occupant { await sayFarewell(from: occupant) }
  }

  /// Leaves by the occupant JID. Offline the user is outside already, unless the session resumes.
  func sayFarewell(from occupant: JID) async {
    farewells.remove(occupant)
    guard let channel else { return }
    do {
      try await channel.send(
        Element("presence", Namespace.client, ["type": "unavailable", "to": occupant.description]))
    } catch {
      if rooms[occupant.bare]?.room.phase == .outside { farewells.insert(occupant) }
    }
  }

  package func changeNick(_ nick: String, in room: JID) async throws {
    let jid = room.bare
    guard let occupant = jid.with(resource: nick), let prepared = occupant.resource else {
      throw NatterError(.invalidInput, "error.room.badNick", ["name": nick])
    }
    guard let state = rooms[jid] else { throw NatterError(.refused, "error.room.notInside") }
    switch state.room.phase {
    case .inside:
      guard prepared != state.room.nick else { return try await keepNick(in: jid) }
      rooms[jid]?.askedNick = prepared
      try await send(Element("presence", Namespace.client, ["to": occupant.description]))
    case .outside where state.room.exit?.cause == .nickTaken,
      .outside where state.room.exit?.cause == .nickRefused, .entering:
      try await join(jid, nick: prepared, password: nil)
    case .outside: throw NatterError(.refused, "error.room.notInside")
    }
  }

  /// The user's nick in the room is the one they want, even if it was made up after a conflict.
  private func keepNick(in jid: JID) async throws {
    guard rooms[jid]?.takenNick != nil else { return }
    rooms[jid]?.keepNick()
    if let bookmark = rooms[jid]?.bookmark { try await store.save(bookmark) }
  }

  func send(_ stanza: Element) async throws {
    guard let channel else { throw NatterError(.offline, "error.offline") }
    do { try await channel.send(stanza) } catch { throw NatterError(.offline, "error.offline") }
  }

  // MARK: - The way in

  /// Begins to enter, when there is a connection.
  func enter(_ jid: JID) {
    guard let state = rooms[jid] else { return }
    farewells = farewells.filter { $0.bare != jid }
    rooms[jid]?.begin(as: state.wantedNick)
    guard channel != nil, let attempt = rooms[jid]?.attempt else { return }
    if !hasStarted { early.insert(jid) }
    aside { [weak self] in await self?.knock(at: jid, attempt) }
  }

  /// Joins a room again that has lost the user, but with a delay if that repeats: two clients with
  /// one nick would remove each other forever. A room that refuses for now is left alone.
  func comeBack(to jid: JID) {
    guard let state = rooms[jid] else { return }
    let isSoon =
      state.insideSince.map { now().timeIntervalSince($0) < EntryLimits.steadiness }
      ?? (state.losses > 0)
    rooms[jid]?.insideSince = nil
    if !isSoon { rooms[jid]?.losses = 0 }
    if !isSoon, state.room.phase == .entering { return enter(jid) }
    let losses = rooms[jid]?.losses ?? 0
    rooms[jid]?.losses += 1
    let attempt = state.attempt
    let pause = min(1 << min(losses, 10), EntryLimits.longestPause)
    log.info("a room does not keep this client: going back in after \(pause) s")
    aside { [weak self] in
      guard let self else { return }
      do { try await sleep(.seconds(pause)) } catch { return }
      await enter(again: jid, attempt)
    }
  }

  private func enter(again jid: JID, _ attempt: Int) {
    guard channel != nil, let state = rooms[jid], state.attempt == attempt,
      state.room.phase == .entering || state.room.exit?.mayPass == true
    else { return }
    enter(jid)
    publishChanges()
  }

  /// Asks what kind of room it is, asks to come in, and sees to it that there is an answer.
  private func knock(at jid: JID, _ attempt: Int) async {
    do {
      guard try await prepare(jid, attempt), let channel, let state = rooms[jid],
        state.attempt == attempt
      else { return }
      let history = try await history(of: jid)
      guard rooms[jid]?.attempt == attempt else { return }
      var presence = Element(
        "presence", Namespace.client, ["to": state.room.occupant.description],
        [XEP0045.entrance(password: state.bookmark.password, history: history)] + own.elements)
      presence["id"] = identifiers.next()
      rooms[jid]?.sent = own
      try await channel.send(presence)
    } catch is ChannelError {
      return  // The next session enters again.
    } catch {
      log.error("entering a room failed: \(error)")
    }
    await seeIn(jid, attempt)
  }

  private func seeIn(_ jid: JID, _ attempt: Int) async {
    for step in 1...EntryLimits.answerSteps {
      do { try await sleep(EntryLimits.patience) } catch { return }
      guard let state = rooms[jid], state.attempt == attempt, !state.hasSettled else { return }
      if state.room.phase == .inside {
        // A room that sends no subject.
        settled(jid)
        return publishChanges()
      }
      guard step == EntryLimits.answerSteps else { continue }
      await end(jid, RoomExit(.unreachable))
    }
  }

  /// The user was refused; without a decision of a moderator, the room is tried again.
  private func end(_ jid: JID, _ exit: RoomExit) async {
    rooms[jid]?.end(exit)
    if exit.mayPass { comeBack(to: jid) }
    publishChanges()
    await save(jid)
  }

  /// Learns what the room is (XEP-0045 §6.4).
  /// - Returns: whether it makes sense to go on.
  private func prepare(_ jid: JID, _ attempt: Int) async throws -> Bool {
    guard let channel else { return false }
    let question = Element(
      "iq", Namespace.client, ["type": "get", "to": jid.description],
      [Element("query", Namespace.discoInfo)])
    do {
      let answer = try await channel.request(question, timeout: .seconds(20))
      guard rooms[jid]?.attempt == attempt else { return false }
      if let found = answer.first("query", Namespace.discoInfo).flatMap({ XEP0030Discovery($0) }) {
        await learn(found, of: jid)
      }
    } catch let error as StanzaError {
      guard rooms[jid]?.attempt == attempt else { return false }
      if let exit = await exit(for: error, from: jid) {
        guard rooms[jid]?.attempt == attempt else { return false }
        await end(jid, exit)
        return false
      }
      // A room that is not there yet is made by entering it; others answer only to those inside.
    } catch ChannelError.timedOut {
      // The entrance has a time limit of its own.
    }
    return rooms[jid]?.attempt == attempt
  }

  /// Why a room that answered like this should not be joined; `nil`: there is no reason.
  private func exit(for error: StanzaError, from jid: JID) async -> RoomExit? {
    switch error.condition {
    case .remoteServerNotFound, .remoteServerTimeout:
      return RoomExit(.unreachable, reason: error.certainText)
    case .itemNotFound:
      // It is gone. Joining by itself would create it anew, with this account as its owner.
      guard let state = rooms[jid], !state.mayBeMade, await !isOwner(of: jid) else { return nil }
      return RoomExit(.notFound, reason: error.certainText)
    default: return nil
    }
  }

  /// Takes over what a room says of itself.
  func learn(_ found: XEP0030Discovery, of jid: JID) async {
    let traits = Room.Trait.read(found)
    let name = found.identities.first { $0.category == "conference" }?.name
      .flatMap { $0.isEmpty || $0 == jid.local ? nil : $0 }
    let shown = rooms[jid]?.bookmark.name ?? name
    rooms[jid]?.update {
      $0.traits = traits
      $0.name = shown
    }
    let isNews = XEP0045Card(found).map { rooms[jid]?.take($0) == true } ?? false
    publishChanges()
    if isNews { await save(jid) }
    await learnConversation(of: jid, name: rooms[jid]?.room.name)
  }

  /// Updates a room's conversation. A hidden one comes back with a message, or when it is opened.
  func learnConversation(of jid: JID, name: String?) async {
    do {
      guard let conversation = try await store.learnConversation(of: jid, name: name) else {
        return
      }
      hub.publish(.conversationsChanged([conversation]))
    } catch {
      log.error("storing a room's name failed: \(error)")
    }
  }

  /// The history that the room is asked to send.
  private func history(of jid: JID) async throws -> XEP0045.History {
    let newest = try await store.newestMessage(in: jid)
    rooms[jid]?.hasPast = newest != nil
    rooms[jid]?.newestID = newest?.id
    if readsArchives, let state = rooms[jid], state.room.traits.contains(.archive),
      !refusals.rooms.contains(jid)
    {
      return .none
    }
    guard let newest else { return .newest(EntryLimits.firstHistory) }
    guard !newest.isRoomsWord else {
      return .since(
        XEP0082DateTime.text(for: newest.at.addingTimeInterval(-EntryLimits.clockTolerance)))
    }
    // How long ago that was needs no clock but this one, however wrong it is.
    let age = now().timeIntervalSince(newest.at) + EntryLimits.clockTolerance
    return .seconds(
      Int(min(max(age, EntryLimits.clockTolerance), EntryLimits.longestAge).rounded(.up)))
  }

  private func openConversation(of jid: JID) async throws {
    let conversation = try await store.openConversation(of: jid, name: rooms[jid]?.room.name)
    hub.publish(.conversationsChanged([conversation]))
  }

  // MARK: - Inside

  func entered(_ jid: JID, isNew: Bool) {
    guard let state = rooms[jid] else { return }
    rooms[jid]?.insideSince = now()
    if isNew {
      let attempt = state.attempt
      aside { [weak self] in await self?.open(newRoom: jid, attempt) }
    }
    if state.sent?.looks(like: own) != true { aside { [weak self] in await self?.sendPresence() } }
    let isOwner = state.room.affiliation == .owner
    aside { [weak self] in await self?.keepOwnership(of: jid, isOwner) }
    guard state.isFresh else { return }
    rooms[jid]?.isFresh = false
    rooms[jid]?.bookmark.autojoins = true
    rooms[jid]?.bookmark.isChanged = true
    rooms[jid]?.update { $0.autojoins = true }
    publishBookmark(of: jid)
  }

  /// The room has sent its history and its subject: pending messages can go.
  func settled(_ jid: JID) {
    guard let state = rooms[jid], !state.hasSettled else { return }
    rooms[jid]?.hasSettled = true
    rooms[jid]?.hasPast = true
    forgetRefusal(of: jid)
    hub.publish(.roomEntered(jid, hasArchive: state.room.traits.contains(.archive)))
  }

  func tryAnotherNick(_ jid: JID) {
    guard let state = rooms[jid] else { return }
    guard state.conflicts < EntryLimits.conflictLimit else {
      // The report names the nick that the user wanted.
      rooms[jid]?.update { $0.nick = state.wantedNick }
      rooms[jid]?.end(RoomExit(.nickTaken))
      return
    }
    rooms[jid]?.beginAsAnother()
    guard let attempt = rooms[jid]?.attempt else { return }
    aside { [weak self] in await self?.knock(at: jid, attempt) }
  }
}
