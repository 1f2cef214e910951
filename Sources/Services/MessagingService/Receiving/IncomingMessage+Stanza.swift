import FoundationEssentials
import NatterCore
import XML
import XMPP

extension IncomingMessage {
  /// The chat message of `stanza`, or of the carbon copy in it; `nil` if there is none.
  /// - Parameters:
  ///   - rooms: the rooms that the user is in; groupchat of any other room is ignored.
  ///   - others: rooms that the user is outside of.
  init?(
    _ stanza: MessageStanza, to account: JID, in rooms: [JID: RoomMembership] = [:],
    besides others: Set<JID> = [], receivedAt arrival: Date
  ) {
    if let carbon = XEP0280Carbon(stanza, of: account) {
      self.init(carbon, of: account, in: rooms, others, receivedAt: arrival)
      self = related(by: carbon.message)
    } else if stanza.kind == .groupchat {
      self.init(inRoom: stanza, to: account, rooms, receivedAt: arrival)
      self = related(by: stanza)
      // Where the room assigns none, anyone can forge them (XEP-0421 §3).
      if rooms[conversation]?.occupantID == nil { occupantID = nil }
    } else {
      self.init(received: stanza, by: account, in: rooms, others, receivedAt: arrival)
      self = related(by: stanza)
    }
    guard isKept(by: account) else { return nil }
  }

  /// A message to all occupants of a room, or the reflection of the user's own.
  private init?(
    inRoom stanza: MessageStanza, to account: JID, _ rooms: [JID: RoomMembership],
    receivedAt arrival: Date
  ) {
    guard let sender = stanza.from, let room = rooms[sender.bare], let body = stanza.content
    else { return nil }
    let delay = stanza.heldBack(by: account)?.stamp
    guard let nick = sender.resource else {
      guard stanza.isOfRoomItself else { return nil }
      self.init(
        conversation: sender, sender: sender, body: body, sentAt: min(delay ?? arrival, arrival),
        originID: Self.identity(of: stanza, stamp: delay), stanzaID: stanza.stanzaID(by: sender),
        isDelayed: delay != nil, file: SharedFile(stanza))
      return
    }
    let isOwn = room.isOwn(nick: nick, occupantID: stanza.occupantID)
    self.init(
      conversation: sender.bare, sender: sender, direction: isOwn ? .outgoing : .incoming,
      body: body, sentAt: min(delay ?? arrival, arrival),
      originID: Self.identity(of: stanza, stamp: delay),
      stanzaID: stanza.stanzaID(by: sender.bare), isDelayed: delay != nil,
      isMention: !isOwn && Mention.contains(room.nick, in: body), file: SharedFile(stanza))
    presentSince = delay == nil ? room.present[nick] : nil
    // The history that a room sends: the client did not observe the nicks at that time.
    isOwnByName =
      isOwn && stanza.isOfRoomsPast && (room.occupantID == nil || stanza.occupantID == nil)
  }

  /// A message that another client of the account sent or received (XEP-0280).
  private init?(
    _ carbon: XEP0280Carbon, of account: JID, in rooms: [JID: RoomMembership], _ others: Set<JID>,
    receivedAt arrival: Date
  ) {
    let stanza = carbon.message
    // The message's own delay element is older than the copy's, which has the time of the copy.
    let delay = stanza.heldBack(by: account)?.stamp
    guard carbon.direction == .sent else {
      self.init(received: stanza, by: account, in: rooms, others, receivedAt: arrival)
      return
    }
    guard let body = Self.text(of: stanza), let peer = stanza.to, let sender = stanza.from,
      sender.bare == account
    else { return nil }
    let isForOccupant =
      stanza.isFromRoom || rooms[peer.bare] != nil || others.contains(peer.bare)
    self.init(
      conversation: isForOccupant ? peer : peer.bare,
      sender: sender,
      direction: .outgoing, body: body, sentAt: min(delay ?? arrival, arrival),
      originID: stanza.originID ?? stanza.id, stanzaID: stanza.stanzaID(by: account),
      isDelayed: delay != nil, file: SharedFile(stanza))
  }

  private init?(
    received stanza: MessageStanza, by account: JID, in rooms: [JID: RoomMembership],
    _ others: Set<JID>, receivedAt arrival: Date
  ) {
    guard let body = Self.text(of: stanza) else { return nil }
    // An invitation may have a text, and so may a room's question about a voice request: they are
    // not messages (XEP-0045 §7.8, §8.6, XEP-0249).
    guard !stanza.isOnlyInvitation, XEP0045VoiceRequest(stanza) == nil else { return nil }
    // A message without `from` is from the user's own account (RFC 6120 §8.1.2.1).
    guard let sender = stanza.sender.jid(ifAbsent: account) else { return nil }
    // A timestamp in the future would keep the message at the bottom permanently.
    let delay = stanza.heldBack(by: account)?.stamp
    let sentAt = min(delay ?? arrival, arrival)
    // Private messages of an occupant are a conversation of their own (XEP-0045 §7.5).
    let isOccupant =
      !sender.isBare
      && (rooms[sender.bare] != nil || others.contains(sender.bare) || stanza.isFromRoom)
    self.init(
      conversation: isOccupant ? sender : sender.bare, sender: sender, body: body, sentAt: sentAt,
      originID: Self.identity(of: stanza, stamp: delay), stanzaID: stanza.stanzaID(by: account),
      isDelayed: delay != nil, file: SharedFile(stanza))
    if isOccupant, delay == nil {
      presentSince = sender.resource.flatMap { rooms[sender.bare]?.present[$0] }
    }
  }

  /// Returns the id of the message other than an archive's. Without an id, the timestamp of a
  /// history replaces it: a room without an archive sends the same history at each entrance.
  private static func identity(of stanza: MessageStanza, stamp: Date?) -> String? {
    stanza.originID ?? stanza.id ?? stamp.map(stampID)
  }

  /// The text of a conversation's message; `nil` when it is something else (RFC 6121 §5.2.2).
  private static func text(of stanza: MessageStanza) -> String? {
    switch stanza.kind {
    case .chat, .normal: return stanza.content
    // An announcement: no archive keeps it. The text of a publication is for old clients only.
    case .headline where stanza.element.first("event", XEP0060.events) == nil:
      return stanza.content
    default: return nil
    }
  }
}
