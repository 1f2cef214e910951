import FoundationEssentials
import NatterCore
import XMPP

/// Decodes the messages of an account. The payloads are read in the same way however a message
/// arrives: live, as a carbon copy, delayed by the server, or from an archive.
package struct MessageDecoder: Sendable {
  private let account: JID

  package init(account: JID) { self.account = account.bare }

  /// Returns the message in a live stanza, or in the carbon copy in it; `nil` if there is none.
  /// - Parameters:
  ///   - rooms: the rooms that the user is in; groupchat of any other room is ignored.
  ///   - others: rooms that the user is outside of.
  package func decode(
    _ stanza: MessageStanza, in rooms: [JID: RoomMembership] = [:], besides others: Set<JID> = [],
    receivedAt arrival: Date
  ) -> IncomingMessage? {
    let carbon = XEP0280Carbon(stanza, of: account)
    let message = carbon?.message ?? stanza
    let content = message.content
    guard let text = Self.text(of: message, content) else { return nil }
    let live = LiveStanza(
      message, to: account, in: rooms, besides: others, receivedAt: arrival)
    guard let envelope = live.envelope(copiedAs: carbon?.direction) else { return nil }
    return self.message(message, content, text, in: envelope)
  }

  /// Returns the message in a result of an archive; `nil` if it is something else, or cannot be
  /// from that archive.
  /// - Parameters:
  ///   - archive: the owner of the archive: the bare JID of the account or of a room.
  ///   - room: the account's membership of the room, while it is an occupant.
  ///   - rooms: the known rooms in the account's archive: private messages of an occupant there are
  ///     a conversation of their own.
  package func decode(
    _ result: XEP0313Result, of archive: JID, in room: RoomMembership?, rooms: Set<JID> = []
  ) -> IncomingMessage? {
    let stanza = result.message
    let content = stanza.content
    let tombstone = RetractionPayload.tombstone(stanza)
    // A retracted message has an empty text: the archive keeps its position.
    guard let text = Self.text(of: stanza, content) ?? (tombstone == nil ? nil : ""),
      let envelope = archive == account
        ? result.envelope(archivedFor: account, rooms)
        : result.envelope(archivedBy: archive, account: account, in: room)
    else { return nil }
    var message = self.message(stanza, content, text, in: envelope)
    if content != .effect { message?.retraction = tombstone }
    return message
  }

  /// Returns the text to store: the text, or the effect on another message; empty if another
  /// payload has the content; `nil` if there is nothing to store.
  package static func text(of stanza: MessageStanza) -> String? { text(of: stanza, stanza.content) }

  private static func text(of stanza: MessageStanza, _ content: MessageStanza.Content?) -> String? {
    switch content {
    case .effect: MessageEffect(stanza)?.text
    case .text: BodyPayload.decode(stanza)
    case .encrypted, .call, .unknown: ""
    case nil: nil
    }
  }

  /// Returns the message in `envelope` with the payloads of `stanza`; `nil` if it is not shown.
  private func message(
    _ stanza: MessageStanza, _ content: MessageStanza.Content?, _ text: String,
    in envelope: MessageEnvelope
  ) -> IncomingMessage? {
    var message = IncomingMessage(
      conversation: envelope.conversation, sender: envelope.sender, direction: envelope.direction,
      body: text, sentAt: envelope.sentAt, originID: envelope.originID,
      stanzaID: envelope.stanzaID, isDelayed: envelope.isDelayed,
      isMention: MentionPayload.decode(text, of: envelope.mentionable))
    message.archivedAt = envelope.archivedAt
    message.presentSince = envelope.presentSince
    message.isOwnByName = envelope.isOwnByName
    message.occupantID = envelope.hasTrustedOccupantID ? stanza.occupantID : nil
    if content == .effect, let effect = MessageEffect(stanza) {
      (message.effect, message.replaces) = (effect.kind, effect.target)
      return message
    }
    message.payload = ContentPayload.decode(content, of: stanza)
    message.contentPrint = ContentPayload.print(content, of: stanza)
    message.file = FilePayload.decode(stanza)
    message.reply = ReplyPayload.decode(stanza)
    message.thread = ThreadPayload.decode(stanza)
    message.isSentAgain = stanza.isSentAgain
    switch content {
    case .call(let step) where step.kind == .propose:
      // All stanzas about a call refer to its id.
      message.originID = step.call
    case .text, nil: message.replaces = CorrectionPayload.decode(stanza)
    case .call, .encrypted, .unknown, .effect: break
    }
    return message.isKept(by: account) ? message : nil
  }
}
