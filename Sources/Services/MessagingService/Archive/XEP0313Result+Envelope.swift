import NatterCore
import XML
import XMPP

extension XEP0313Result {
  /// Returns the envelope of a message in the account's own archive; `nil` if it is not a message
  /// of a conversation.
  /// - Parameter rooms: the known rooms among the correspondents.
  func envelope(archivedFor account: JID, _ rooms: Set<JID>) -> MessageEnvelope? {
    let stanza = message
    guard stanza.kind == .chat || stanza.kind == .normal, let sender = stanza.from else {
      return nil
    }
    let isOwn = sender.bare == account
    // An invitation is not a message for its guest, nor is the answer, or a room's question about a
    // voice request; private messages of an occupant are a conversation of their own (XEP-0045
    // §7.5).
    guard isOwn || !InvitationPayload.isAlone(in: stanza), XEP0045Decline(stanza) == nil,
      XEP0045VoiceRequest(stanza) == nil
    else { return nil }
    guard let other = isOwn ? stanza.recipient.jid(ifAbsent: account) : sender else { return nil }
    let peer = stanza.isFromRoom || rooms.contains(other.bare) ? other : other.bare
    return MessageEnvelope(
      conversation: peer, sender: sender, direction: isOwn ? .outgoing : .incoming, sentAt: stamp,
      originID: IdentityPayload.decode(stanza), stanzaID: id, isDelayed: true, archivedAt: stamp)
  }

  /// Returns the envelope of a message in a room's archive (XEP-0313 §5.1.3); `nil` if it cannot be
  /// from that archive, which holds the messages of the room's occupants, and of the room itself.
  /// - Parameter room: the account's membership of the room, while it is an occupant.
  func envelope(archivedBy archive: JID, account: JID, in room: RoomMembership?)
    -> MessageEnvelope?
  {
    let stanza = message
    guard stanza.kind == .groupchat, let sender = stanza.from, sender.bare == archive else {
      return nil
    }
    let isTrusted = room?.occupantID != nil
    guard let nick = sender.resource else {
      guard stanza.isOfRoomItself else { return nil }
      return MessageEnvelope(
        conversation: archive, sender: sender, sentAt: stamp,
        originID: IdentityPayload.decode(stanza), stanzaID: id, isDelayed: true, archivedAt: stamp,
        hasTrustedOccupantID: isTrusted)
    }
    let occupantID = stanza.occupantID
    // In a non-anonymous room, or for a moderator, the archive includes the JID, too
    // (XEP-0313 §5.1.3).
    let said = stanza.element.first("x", XEP0045.user)?.first("item", XEP0045.user)
    let address = said.map { XEP0045Item($0).address } ?? .absent
    let isByID = room?.occupantID != nil && occupantID != nil
    // Another occupant may have used the user's current nick then. A message from another device of
    // the account has its JID. Of a message over a limit, both may be in the part that is missing.
    let isOwn =
      (room?.isOwn(nick: nick, occupantID: occupantID) ?? false)
      && (isByID
        || !stanza.element.exceedsLimit && address.jid(ifAbsent: account)?.bare == account)
    return MessageEnvelope(
      conversation: archive, sender: sender, direction: isOwn ? .outgoing : .incoming,
      sentAt: stamp, originID: IdentityPayload.decode(stanza), stanzaID: id, isDelayed: true,
      archivedAt: stamp, mentionable: isOwn ? nil : room?.nick,
      isOwnByName: isOwn && !isByID && address == .absent, hasTrustedOccupantID: isTrusted)
  }
}
