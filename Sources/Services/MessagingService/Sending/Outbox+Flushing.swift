import Diagnostics
import FoundationEssentials
import NatterCore
import XMPP

/// How what is queued gets on its way: in the order of typing, and never twice
/// (flows.md, "Sending").
extension Outbox {
  /// Writes every queued message that this session has not written yet, in the order of typing.
  func flush() async {
    needsFlush = true
    guard !isFlushing else { return }
    isFlushing = true
    leftovers.areThere = false
    defer {
      isFlushing = false
      if leftovers.areThere { leftovers.wake() } else { leftovers.forgetWaits() }
    }
    // Conversations with an unreadable archive: their messages wait, and hold up no others.
    var unread = state.session.endless
    while needsFlush {
      needsFlush = false
      guard let channel = state.session.channel else { return }
      do {
        try await flush(over: channel, in: state.session.number, &unread)
      } catch is ChannelError {
        // The connection is ending: `sessionEnded` follows, and the next session sends it. If that
        // began meanwhile, it was requested already.
        continue
      } catch {
        log.error("sending from the outbox failed: \(error)")
        leftovers.areThere = true
        return
      }
    }
  }

  /// - Parameter session: the session that `channel` is of; nothing of it is done in another one.
  /// - Parameter unread: the conversations that wait; those with an unreadable archive are added.
  private func flush(over channel: any StanzaChannel, in session: Int, _ unread: inout Set<JID>)
    async throws
  {
    try await recallSuspects()
    let queued = try await store.queued()
    await changeSuspects { $0.keepSuspects(among: queued.compactMap(\.originID)) }
    let unwritten = queued.filter {
      !state.session.written.contains($0.originID ?? "") && !unread.contains($0.conversation)
    }
    let routes = await routes(of: unwritten)
    let waiting = try await ready(unwritten, routes)
    let refusals = try await store.refusals()
    let doubtful = try await doubtful(waiting, refusals)
    guard session == state.session.number, !waiting.isEmpty else { return }
    if !doubtful.isEmpty {
      let silent = try await settle(doubtful, refusals, routes, over: channel)
      // What was found is not queued any more, whether by this search or by the catch-up.
      state.session.noteMissed(
        doubtful.filter { !silent.contains($0.value.peer) }.keys, in: session)
      unread.formUnion(silent)
      if !silent.isEmpty { leftovers.areThere = true }
      needsFlush = true
      return
    }
    let next = poison.writable(of: waiting)
    guard !next.isEmpty else { return }
    try await write(try await claimed(next, in: session), routes, over: channel, in: session)
  }

  /// Those of `messages` that are still to be sent: since they were read, some may have been
  /// retracted or expired. From here on they are in progress.
  private func claimed(_ messages: [Message], in session: Int) async throws -> [Message] {
    let free = state.session.claim(messages, except: leaving)
    let ids = Set(free.compactMap(\.originID))
    do {
      let waiting = try await store.markAttempted(Array(ids), at: now())
      state.session.release(ids.subtracting(waiting), in: session)
      return free.filter { waiting.contains($0.originID ?? "") }
    } catch {
      state.session.release(ids, in: session)
      throw error
    }
  }

  private func routes(of messages: [Message]) async -> [JID: MessageRoute] {
    var found: [JID: MessageRoute] = [:]
    for message in messages where found[message.conversation] == nil {
      found[message.conversation] = await routes?.route(to: message.conversation) ?? .direct
    }
    return found
  }

  /// Those of `messages` that can be sent now. Messages for a room that the user left cannot.
  private func ready(_ messages: [Message], _ routes: [JID: MessageRoute]) async throws -> [Message]
  {
    var ready: [Message] = []
    for message in messages {
      switch routes[message.conversation] ?? .direct {
      case .direct, .room, .occupant: ready.append(message)
      case .held: break
      case .outside:
        guard let originID = message.originID, !state.session.written.contains(originID) else {
          continue
        }
        try await deliveries.giveUpOutside(message, originID)
      }
    }
    return ready
  }

  /// Fails the messages for rooms that the user is not in, also offline, to report it at once. If
  /// they may have arrived, the archive is searched before they are sent again.
  func giveUpOutside() async {
    do {
      let waiting = try await store.queued().filter {
        !state.session.written.contains($0.originID ?? "")
      }
      _ = try await ready(waiting, await routes(of: waiting))
    } catch {
      // They fail in the next session.
      log.error("looking for messages to rooms that were left failed: \(error)")
    }
  }

  private func write(
    _ messages: [Message], _ routes: [JID: MessageRoute], over channel: any StanzaChannel,
    in session: Int
  ) async throws {
    for (index, message) in messages.enumerated() {
      guard session == state.session.number, let originID = message.originID else { return }
      // It failed and was queued anew meanwhile: the next flush looks for it first.
      guard state.session.written.contains(originID) else { continue }
      let route = routes[message.conversation] ?? .direct
      state.session.noteWriting(message, originID, toRoom: route == .room)
      let stanza = stanza(for: message, originID: originID, route)
      guard state.session.stanzaLimit.takes(stanza) else {
        poison.noteOversized(originID)
        try await deliveries.fail(
          message, originID, because: texts.oversize(state.session.stanzaLimit))
        // Alone it was tried in vain: the next one may go.
        needsFlush = true
        continue
      }
      poison.begin(originID)
      do {
        try await channel.send(stanza)
      } catch {
        poison.endAttempt()
        // Refused before a byte was written: the next flush takes it up, and what was to follow.
        state.session.undo(
          originID, and: messages[index...].compactMap(\.originID), in: session)
        throw error
      }
    }
  }

  /// Where to look for a message, and since when it may be there.
  private struct Attempt {
    let peer: JID
    let time: Date
  }

  /// Those of `waiting` that an earlier session may have sent, and those that were refused, whose
  /// copies in an archive prove nothing.
  private func doubtful(_ waiting: [Message], _ refusals: [String: RefusedCopies]) async throws
    -> [String: Attempt]
  {
    let attempts = try await store.attempts()
    var doubtful: [String: Attempt] = [:]
    for message in waiting {
      guard let id = message.originID, !state.session.missed.contains(id) else { continue }
      if refusals[id]?.isOpen == true {
        doubtful[id] = Attempt(peer: message.conversation, time: message.sentAt)
      } else if let attempt = attempts[id] {
        doubtful[id] = Attempt(peer: message.conversation, time: attempt)
      }
    }
    return doubtful
  }

  /// Searches the archives for messages that may have been accepted: they are not sent again.
  /// - Returns: the conversations whose archive could not be read now.
  /// - Throws: `ChannelError.notConnected`, and the store's errors.
  private func settle(
    _ doubtful: [String: Attempt], _ refusals: [String: RefusedCopies],
    _ routes: [JID: MessageRoute], over channel: any StanzaChannel
  ) async throws -> Set<JID> {
    let search = ArchiveSearch(account: account, channel: channel)
    var silent: Set<JID> = []
    var changed: [Message] = []
    defer {
      if !changed.isEmpty {
        log.info("\(changed.count) messages had reached the server before the connection was lost")
        hub.publish(.messagesChanged(changed))
      }
    }
    for (peer, messages) in Dictionary(grouping: doubtful, by: \.value.peer) {
      guard let since = messages.map(\.value.time).min() else { continue }
      let ids = Set(messages.map(\.key))
      let isRoom = routes[peer] == .room
      let found: [String: Set<String>]
      do {
        // A clock that was put back since was ahead.
        found = try await search.found(
          ids, to: peer, isRoom: isRoom, since: min(since, now()),
          isThorough: ids.contains { refusals[$0] != nil })
      } catch ChannelError.notConnected {
        throw ChannelError.notConnected
      } catch is ArchiveSearch.Endless {
        log.warning("an archive that was searched has no end")
        state.session.noteEndless(peer)
        silent.insert(peer)
        continue
      } catch {
        log.warning("an archive cannot be searched now: \(error)")
        silent.insert(peer)
        continue
      }
      for id in ids where refusals[id]?.isOpen == true {
        try await store.closeRefusal(of: id, copies: found[id] ?? [])
      }
      for (id, copies) in found
      where refusals[id]?.isOpen != true && !copies.isSubset(of: refusals[id]?.ids ?? []) {
        if let message = try await store.setDelivery(.sent, ofOriginID: id) {
          changed.append(message)
        }
      }
    }
    return silent
  }
}
