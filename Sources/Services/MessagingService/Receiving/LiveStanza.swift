import FoundationEssentials
import NatterCore
import XML
import XMPP

/// A message that arrived live, or the message in a carbon copy that did.
struct LiveStanza {
  private let stanza: MessageStanza
  private let account: JID
  /// The rooms that the user is in; groupchat of any other room is ignored.
  private let rooms: [JID: RoomMembership]
  /// Rooms that the user is outside of.
  private let others: Set<JID>
  private let arrival: Date
  /// The time when it was sent, if a server or a room held it back.
  private let delay: Date?

  init(
    _ stanza: MessageStanza, to account: JID, in rooms: [JID: RoomMembership],
    besides others: Set<JID>, receivedAt arrival: Date
  ) {
    self.stanza = stanza
    self.account = account
    self.rooms = rooms
    self.others = others
    self.arrival = arrival
    // A copy's own delay element has the time of the copy, and does not count.
    delay = stanza.heldBack(by: account)?.stamp
  }

  /// Returns the envelope; `nil` if it is not a message of a conversation.
  /// - Parameter direction: the direction of the carbon copy; `nil` if it is none.
  func envelope(copiedAs direction: XEP0280Carbon.Direction?) -> MessageEnvelope? {
    switch direction {
    case .sent: sentElsewhere
    case .received: received
    case nil: stanza.kind == .groupchat ? inRoom : received
    }
  }

  /// A message to all occupants of a room, or the reflection of the user's own.
  private var inRoom: MessageEnvelope? {
    guard let sender = stanza.from, let room = rooms[sender.bare] else { return nil }
    let isTrusted = room.occupantID != nil
    guard let nick = sender.resource else {
      guard stanza.isOfRoomItself else { return nil }
      return MessageEnvelope(
        conversation: sender, sender: sender, sentAt: sentAt, originID: identity,
        stanzaID: stanza.stanzaID(by: sender), isDelayed: delay != nil,
        hasTrustedOccupantID: isTrusted)
    }
    // Of a message over a limit, the delay of a room's history may be missing, too: the nick is no
    // proof, as another occupant may have had it.
    let isProven =
      !stanza.element.exceedsLimit || room.occupantID != nil && stanza.occupantID != nil
    let isOwn = isProven && room.isOwn(nick: nick, occupantID: stanza.occupantID)
    return MessageEnvelope(
      conversation: sender.bare, sender: sender, direction: isOwn ? .outgoing : .incoming,
      sentAt: sentAt, originID: identity, stanzaID: stanza.stanzaID(by: sender.bare),
      isDelayed: delay != nil, mentionable: isOwn ? nil : room.nick,
      presentSince: delay == nil ? room.present[nick] : nil,
      // The history that a room sends: the client did not observe the nicks at that time.
      isOwnByName: isOwn && stanza.isOfRoomsPast
        && (room.occupantID == nil || stanza.occupantID == nil),
      hasTrustedOccupantID: isTrusted)
  }

  /// A message that another client of the account sent (XEP-0280).
  private var sentElsewhere: MessageEnvelope? {
    guard isOfConversation, let peer = stanza.to, let sender = stanza.from, sender.bare == account
    else { return nil }
    let isForOccupant =
      stanza.isFromRoom || rooms[peer.bare] != nil || others.contains(peer.bare)
    return MessageEnvelope(
      conversation: isForOccupant ? peer : peer.bare, sender: sender, direction: .outgoing,
      sentAt: sentAt, originID: IdentityPayload.decode(stanza),
      stanzaID: stanza.stanzaID(by: account), isDelayed: delay != nil)
  }

  private var received: MessageEnvelope? {
    guard isOfConversation else { return nil }
    // An invitation may have a text, and so may a room's question about a voice request: they are
    // not messages (XEP-0045 §7.8, §8.6, XEP-0249).
    guard !InvitationPayload.isAlone(in: stanza), XEP0045VoiceRequest(stanza) == nil else {
      return nil
    }
    // A message without `from` is from the user's own account (RFC 6120 §8.1.2.1).
    guard let sender = stanza.sender.jid(ifAbsent: account) else { return nil }
    // Private messages of an occupant are a conversation of their own (XEP-0045 §7.5).
    let isOccupant =
      !sender.isBare
      && (rooms[sender.bare] != nil || others.contains(sender.bare) || stanza.isFromRoom)
    return MessageEnvelope(
      conversation: isOccupant ? sender : sender.bare, sender: sender, sentAt: sentAt,
      originID: identity, stanzaID: stanza.stanzaID(by: account), isDelayed: delay != nil,
      presentSince: isOccupant && delay == nil
        ? sender.resource.flatMap { rooms[sender.bare]?.present[$0] } : nil)
  }

  /// A timestamp in the future would keep the message at the bottom permanently.
  private var sentAt: Date { min(delay ?? arrival, arrival) }

  /// The id of the message other than an archive's. Without an id, the timestamp of a history
  /// replaces it: a room without an archive sends the same history at each entrance.
  private var identity: String? {
    IdentityPayload.decode(stanza) ?? delay.map(IncomingMessage.stampID)
  }

  /// Indicates whether its type is that of a conversation's message (RFC 6121 §5.2.2).
  private var isOfConversation: Bool {
    switch stanza.kind {
    case .chat, .normal: true
    // An announcement: no archive keeps it. The text of a publication is for old clients only.
    case .headline: stanza.element.first("event", XEP0060.events) == nil
    case .groupchat, .error: false
    }
  }
}
