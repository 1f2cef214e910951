import NatterCore
import XMPP

/// The delivery states of the outbox's messages: by the server's acknowledgements, receipts
/// (XEP-0184), errors (RFC 6121 §5.2.2) and the reflections of rooms.
///
/// It runs in the isolation of the outbox, which passes one batch at a time.
struct DeliveryTracker {
  let account: JID
  let store: any OutboxStoring & DeliveryStoring
  let routes: (any MessageRouting)?
  let hub: EventHub
  let texts: OutboxTexts
  let storage: RetryingWrite
  let state: OutboxState

  // MARK: - The server

  /// The server has the stanzas with these ids.
  func noteAcknowledged(_ ids: [String]) async {
    var changed: [Message] = []
    // Also messages of an earlier run or of an interrupted session: before the next one begins, the
    // server may report what it had of it. Within a session all local messages are known, and ids
    // of receipts are not worth a query.
    let unknown =
      state.session.channel == nil ? ids.filter { !state.session.written.contains($0) } : []
    guard
      let earlier = await storage.perform(
        "an acknowledgement", { try await rooms(of: unknown) })
    else { return }
    for id in ids where earlier[id] == nil && state.isSent(byAcknowledging: id) {
      // The stream reports it once: if it is not stored now, it seems lost and is typed again.
      let message = await storage.perform("an acknowledgement") {
        try await store.setDelivery(.sent, ofOriginID: id)
      }
      if let message = message ?? nil { changed.append(message) }
    }
    if !changed.isEmpty { hub.publish(.messagesChanged(changed)) }
  }

  /// Returns the rooms of those of `ids` that are meant for rooms.
  func rooms(of ids: [String]) async throws -> [String: JID] {
    guard let routes, !ids.isEmpty else { return [:] }
    let ids = Set(ids)
    var found: [String: JID] = [:]
    for message in try await store.queued() where message.conversation.isBare {
      guard let id = message.originID, ids.contains(id),
        await routes.route(to: message.conversation) != .direct
      else { continue }
      found[id] = message.conversation
    }
    return found
  }

  // MARK: - Recipients and rooms

  /// Takes the answers to messages from what arrived.
  func noteAnswers(in stanzas: [Stanza]) async {
    var changed: [Message] = []
    for case .message(let stanza) in stanzas {
      // Receipts for what another client of the account sent come as copies (XEP-0280 §6).
      let carbon = XEP0280Carbon(stanza, of: account)
      if carbon?.direction == .sent { continue }
      let message = carbon?.message ?? stanza
      if let message = await storage.perform("a receipt", { try await settle(message) }) ?? nil {
        changed.append(message)
      }
    }
    if !changed.isEmpty { hub.publish(.messagesChanged(changed)) }
  }

  /// Stores the delivery state that `stanza` reports of a local message.
  private func settle(_ stanza: MessageStanza) async throws -> Message? {
    guard let from = stanza.from else { return nil }
    if stanza.kind == .error {
      guard let id = stanza.id, let error = stanza.refusal else { return nil }
      var reason = await reason(for: error, from: from)
      if error.condition == .notAcceptable, try await isMeant(id, for: from) {
        // The room does not know this client, which joins again; then the message is sent again. If
        // it does not join, the user was removed before it arrived.
        guard await routes?.route(to: from) == .outside else { return nil }
        reason = texts.outside
      }
      let changed = try await store.setDelivery(
        .failed(reason: reason), ofOriginID: id, sentTo: from)
      // Only its recipient can refuse it.
      if changed != nil {
        state.session.noteRefused(id)
        if let effect = state.session.effects[id] { reportRefused(effect, reason) }
      }
      return changed
    }
    // What came back after the user left the room did arrive there (flows.md, "Sending").
    if stanza.kind == .groupchat, let id = stanza.originID ?? stanza.id,
      state.session.rooms[id] == from.bare, await routes?.route(to: from.bare) == .outside
    {
      return try await store.setDelivery(.sent, ofOriginID: id, sentTo: from.bare)
    }
    if let id = ReceiptPayload.decode(stanza) {
      return try await store.setDelivery(.delivered, ofOriginID: id, sentTo: from)
    }
    return nil
  }

  /// Indicates whether the message `id` is meant for `room`, also if it was written in an earlier
  /// run.
  private func isMeant(_ id: String, for room: JID) async throws -> Bool {
    if let its = state.session.rooms[id] { return its == room }
    return try await rooms(of: [id])[id] == room
  }

  /// Returns why `sender` refused a message, as a sentence.
  private func reason(for error: StanzaError, from sender: JID) async -> String {
    // A room answers so for an occupant who is not there (XEP-0045 §7.5), elsewhere it is about an
    // address.
    guard error.condition == .itemNotFound, let nick = sender.resource,
      await routes?.route(to: sender) == .occupant
    else { return texts.refusal(error) }
    return texts.absence(nick)
  }

  // MARK: - Failures

  /// Marks a message as failed, and publishes that.
  func fail(_ message: Message, _ originID: String, because reason: String) async throws {
    if let changed = try await store.setDelivery(.failed(reason: reason), ofOriginID: originID) {
      hub.publish(.messagesChanged([changed]))
    }
    if let effect = message.effect { reportRefused(effect, reason) }
  }

  /// Marks a message for a room that the user is not in as failed, without a refusal, and publishes
  /// that.
  func giveUpOutside(_ message: Message, _ originID: String) async throws {
    guard let changed = try await store.giveUp(originID, reason: texts.outside) else { return }
    hub.publish(.messagesChanged([changed]))
    if let effect = message.effect { reportRefused(effect, texts.outside) }
  }

  /// Publishes that a change of a message was not delivered: nothing on the screen shows it.
  private func reportRefused(_ effect: Message.Effect, _ reason: String) {
    let key = effect == .reaction ? "error.reactionRefused" : "error.retractionRefused"
    hub.publish(.notice(StatusNotice(.error, key, ["reason": reason])))
  }
}
