import Diagnostics
import FoundationEssentials
import NatterCore
import XMPP

/// The writing of queued messages to the session: in the order of typing, and never twice
/// (flows.md, "Sending").
extension Outbox {
  /// Writes every queued message that this session has not written yet, in the order of typing.
  /// - Parameter searches: `false` where the caller must not wait for the network: messages that
  ///   have to be looked for in an archive first, and those behind them in their conversations, are
  ///   left to `run`. Writing a stanza only puts it into the buffer of the connection.
  func flush(searches: Bool = true) async {
    needsFlush = true
    guard !isFlushing else { return }
    isFlushing = true
    leftovers.areThere = false
    if searches { postponed.areThere = false }
    defer {
      isFlushing = false
      if postponed.areThere { postponed.wake() }
      if leftovers.areThere { leftovers.wake() } else { leftovers.forgetWaits() }
    }
    // Conversations whose archive was not read: their messages wait, and hold up no others.
    var unread = state.session.endless
    while needsFlush {
      needsFlush = false
      guard let channel = state.session.channel else { return }
      do {
        try await flush(
          over: channel, in: state.session.number, searches: searches, &unread)
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

  /// - Parameters:
  ///   - session: the number of the session of `channel`; nothing is done in another one.
  ///   - unread: the conversations that wait; those with an unreadable archive, or one that is not
  ///     searched now, are added.
  private func flush(
    over channel: any StanzaChannel, in session: Int, searches: Bool, _ unread: inout Set<JID>
  ) async throws {
    try await recallSuspects()
    let queued = try await store.queued()
    await changeSuspects { $0.keepSuspects(among: queued.compactMap(\.originID)) }
    let unwritten = SendSelection.unwritten(of: queued, in: state.session, except: unread)
    let selection = SendSelection(messages: unwritten, routes: await routes(of: unwritten))
    let waiting = try await ready(selection)
    let doubts = try await recovery.doubts(about: waiting)
    guard session == state.session.number, !waiting.isEmpty else { return }
    if !doubts.lookups.isEmpty {
      guard searches else {
        unread.formUnion(doubts.lookups.values.map(\.peer))
        (postponed.areThere, leftovers.areThere, needsFlush) = (true, true, true)
        return
      }
      let silent = try await recovery.settle(doubts, selection.routes, over: channel)
      // What was found is not queued any more, whether by this search or by the catch-up.
      state.session.noteMissed(
        doubts.lookups.filter { !silent.contains($0.value.peer) }.keys, in: session)
      unread.formUnion(silent)
      if !silent.isEmpty { leftovers.areThere = true }
      needsFlush = true
      return
    }
    let next = poison.writable(of: waiting)
    guard !next.isEmpty else { return }
    try await write(
      SendSelection(messages: try await claimed(next, in: session), routes: selection.routes),
      over: channel, in: session)
  }

  /// Returns those of `messages` that are still to be sent: since they were read, some may have
  /// been retracted or expired. From here on they are in progress.
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

  /// Returns those of `selection` that can be sent now. Messages for a room that the user left
  /// fail.
  private func ready(_ selection: SendSelection) async throws -> [Message] {
    for message in selection.outside {
      guard let originID = message.originID, !state.session.written.contains(originID) else {
        continue
      }
      try await deliveries.giveUpOutside(message, originID)
    }
    return selection.ready
  }

  /// Fails the messages for rooms that the user is not in, also offline, to report it at once. If
  /// they may have arrived, the archive is searched before they are sent again.
  func giveUpOutside() async {
    do {
      let queued = try await store.queued()
      let waiting = SendSelection.unwritten(of: queued, in: state.session)
      _ = try await ready(SendSelection(messages: waiting, routes: await routes(of: waiting)))
    } catch {
      // They fail in the next session.
      log.error("looking for messages to rooms that were left failed: \(error)")
    }
  }

  private func write(
    _ selection: SendSelection, over channel: any StanzaChannel, in session: Int
  ) async throws {
    let messages = selection.messages
    let encoder = MessageEncoder(
      account: account, retractionText: texts.retraction, besideText: options.payloads)
    for (index, message) in messages.enumerated() {
      guard session == state.session.number, let originID = message.originID else { return }
      // It failed and was queued anew meanwhile: the next flush looks for it first.
      guard state.session.written.contains(originID) else { continue }
      let route = selection.route(of: message)
      state.session.noteWriting(message, originID, toRoom: route == .room)
      let stanza = encoder.encode(
        message, originID: originID, route,
        isLate: message.sentAt < state.session.start || state.retried.contains(originID))
      guard state.session.stanzaLimit.takes(stanza) else {
        poison.noteOversized(originID)
        try await deliveries.fail(
          message, originID, because: texts.oversize(state.session.stanzaLimit))
        // It may have been selected alone, as a suspect: the next one may go.
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
}
