import FoundationEssentials
import NatterCore
import XML
import XMPP

extension IncomingMessage {
  /// The message in `result`; `nil` when it is something else, or cannot be from that archive.
  /// - Parameters:
  ///   - archive: the owner of the archive: the bare JID of the account or of a room.
  ///   - room: the account's membership of the room, while it is an occupant.
  ///   - rooms: the known rooms in the account's archive: private messages of an occupant there are
  ///     a conversation of their own.
  init?(
    _ result: XEP0313Result, of archive: JID, account: JID, in room: RoomMembership?,
    rooms: Set<JID> = []
  ) {
    if archive == account {
      self.init(result, archivedBy: account, rooms)
    } else {
      self.init(result, archivedBy: archive, account: account, in: room)
    }
    self = related(by: result.message)
    // Where the room assigns none, anyone can forge them (XEP-0421 §3).
    if archive != account, room?.occupantID == nil { occupantID = nil }
    archivedAt = result.stamp
    if result.message.effect == nil, let isModerated = result.message.tombstone {
      retraction = isModerated ? .moderator : .author
    }
    guard isKept(by: account) else { return nil }
  }

  private init?(_ result: XEP0313Result, archivedBy account: JID, _ rooms: Set<JID>) {
    let stanza = result.message
    guard stanza.kind == .chat || stanza.kind == .normal, let body = Self.text(of: stanza),
      let sender = stanza.from
    else { return nil }
    let isOwn = sender.bare == account
    // An invitation is not a message for its guest, nor is the answer, or a room's question about a
    // voice request; private messages of an occupant are a conversation of their own (XEP-0045
    // §7.5).
    guard isOwn || !stanza.isOnlyInvitation, XEP0045Decline(stanza) == nil,
      XEP0045VoiceRequest(stanza) == nil
    else { return nil }
    guard let other = isOwn ? stanza.recipient.jid(ifAbsent: account) : sender else { return nil }
    let peer = stanza.isFromRoom || rooms.contains(other.bare) ? other : other.bare
    self.init(
      conversation: peer, sender: sender, direction: isOwn ? .outgoing : .incoming, body: body,
      sentAt: result.stamp, originID: stanza.originID ?? stanza.id, stanzaID: result.id,
      isDelayed: true, file: SharedFile(stanza))
  }

  /// The message of a room's archive (XEP-0313 §5.1.3).
  private init?(
    _ result: XEP0313Result, archivedBy archive: JID, account: JID, in room: RoomMembership?
  ) {
    let stanza = result.message
    // A room's archive holds the messages of its occupants, and of the room itself.
    guard stanza.kind == .groupchat, let body = Self.text(of: stanza),
      let sender = stanza.from, sender.bare == archive
    else { return nil }
    guard let nick = sender.resource else {
      guard stanza.isOfRoomItself else { return nil }
      self.init(
        conversation: archive, sender: sender, body: body, sentAt: result.stamp,
        originID: stanza.originID ?? stanza.id, stanzaID: result.id, isDelayed: true,
        file: SharedFile(stanza))
      return
    }
    let occupantID = stanza.occupantID
    // In a non-anonymous room, or for a moderator, the archive includes the JID, too
    // (XEP-0313 §5.1.3).
    let said = stanza.element.first("x", XEP0045.user)?.first("item", XEP0045.user)
    let address = said.map { XEP0045Item($0).address } ?? .absent
    let isByID = room?.occupantID != nil && occupantID != nil
    // Another occupant may have used the user's current nick then. A message from another device of
    // the account has its JID.
    let isOwn =
      (room?.isOwn(nick: nick, occupantID: occupantID) ?? false)
      && (isByID || address.jid(ifAbsent: account)?.bare == account)
    self.init(
      conversation: archive, sender: sender, direction: isOwn ? .outgoing : .incoming, body: body,
      sentAt: result.stamp, originID: stanza.originID ?? stanza.id, stanzaID: result.id,
      isDelayed: true,
      isMention: !isOwn && room.map { Mention.contains($0.nick, in: body) } ?? false,
      file: SharedFile(stanza))
    isOwnByName = isOwn && !isByID && address == .absent
  }
}

extension IncomingMessage {
  /// Returns an empty text for a retracted message: the archive keeps its position.
  private static func text(of stanza: MessageStanza) -> String? {
    stanza.content ?? (stanza.tombstone == nil ? nil : "")
  }
}

/// Timestamps for the messages of a page that keep the archive's order.
///
/// Some archives have whole seconds, so that several messages have one timestamp, and messages that
/// were stored live have an earlier timestamp in the archive than here. The database orders by
/// time: shifts are microseconds.
enum ArchiveOrder {
  static let step = 0.000_001
  /// Seconds between the last message before a session and the first live one in it: enough for the
  /// messages of some pages, one step each.
  static let gap = 0.02

  /// Returns the times of a page that follows what is stored up to `position`.
  static func times(of stamps: [Date], after position: Date?, now: Date) -> [Date] {
    guard !stamps.isEmpty else { return [] }
    var last = position ?? .distantPast
    return stamps.map { stamp in
      // A timestamp in the future would keep the message at the bottom permanently.
      let time = min(stamp, now)
      last = time > last ? time : last.addingTimeInterval(step)
      return last
    }
  }

  /// Returns the times of a page that ends where `newer` begins and comes after `older`, with an
  /// unknown number of messages between.
  ///
  /// Timestamps that are too coarse, or of another clock, to be after `older` are put next to
  /// `newer`: below them there must be space for the messages that are still missing.
  static func times(of stamps: [Date], after older: Date, before newer: Date, now: Date) -> [Date] {
    times(of: stamps.map { $0 > older ? $0 : newer }, before: newer, now: max(now, newer))
  }

  /// Returns the times of a page that comes before what is stored from `position` on.
  static func times(of stamps: [Date], before position: Date?, now: Date) -> [Date] {
    var next = position ?? .distantFuture
    let backwards = stamps.reversed().map { stamp in
      let time = min(stamp, now)
      next = time < next ? time : next.addingTimeInterval(-step)
      return next
    }
    return backwards.reversed()
  }
}
