import NatterCore
import XMPP

/// What others answer to a message.
extension Outbox {
  /// What `stanza` says about a local message, as a receipt (XEP-0184) or error (RFC 6121 §5.2.2).
  func settle(_ stanza: MessageStanza) async throws -> Message? {
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
    if let id = stanza.receiptID {
      return try await store.setDelivery(.delivered, ofOriginID: id, sentTo: from)
    }
    return nil
  }

  /// Whether what is called `id` is meant for `room`, be it written in an earlier run.
  private func isMeant(_ id: String, for room: JID) async throws -> Bool {
    if let its = state.session.rooms[id] { return its == room }
    return try await rooms(of: [id])[id] == room
  }

  /// Why `sender` refused a message, as a sentence.
  private func reason(for error: StanzaError, from sender: JID) async -> String {
    // A room says it of who is not there (XEP-0045 §7.5), elsewhere it is about an address.
    guard error.condition == .itemNotFound, let nick = sender.resource,
      await routes?.route(to: sender) == .occupant
    else { return texts.refusal(error) }
    return texts.absence(nick)
  }
}
