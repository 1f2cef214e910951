import FoundationEssentials
import NatterCore
import XMPP

extension IncomingMessage {
  /// The message in `result`; `nil` when it is something else, or cannot be from that archive.
  /// - Parameters:
  ///   - archive: whose it is: the account's or a room's bare address.
  ///   - room: what the account is in the room, where it is in it.
  ///   - rooms: those among whom the account's archive tells of: words for one person there are a conversation of their own.
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
    // Where the room gives none, everybody can make them up (XEP-0421 §3).
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
    // An invitation is no message, nor is the answer, or a room's question who may speak; private words of somebody in a room are
    // a conversation of their own (XEP-0045 §7.5).
    guard XEP0045Invitation(stanza) == nil, XEP0045Decline(stanza) == nil,
      XEP0045VoiceRequest(stanza) == nil
    else { return nil }
    guard let other = isOwn ? stanza.recipient.jid(ifAbsent: account) : sender else { return nil }
    let peer = stanza.isFromRoom || rooms.contains(other.bare) ? other : other.bare
    self.init(
      conversation: peer, sender: sender, direction: isOwn ? .outgoing : .incoming, body: body,
      sentAt: result.stamp, originID: stanza.originID ?? stanza.id, stanzaID: result.id,
      isDelayed: true, file: SharedFile(stanza))
  }

  /// What was said in a room (XEP-0313 §5.1.3).
  private init?(
    _ result: XEP0313Result, archivedBy archive: JID, account: JID, in room: RoomMembership?
  ) {
    let stanza = result.message
    // A room's archive holds what its occupants said, and the room itself.
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
    // Where everybody sees everybody's address, or a moderator looks, the archive tells that, too (XEP-0313 §5.1.3).
    let said = stanza.element.first("x", XEP0045.user)?.first("item", XEP0045.user)
    let address = said.map { XEP0045Item($0).address } ?? .absent
    let isByID = room?.occupantID != nil && occupantID != nil
    // Under the own nick of now somebody else may have spoken then. What came from another device of the account has its address.
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
  /// Nothing, of one that was taken back: the archive keeps its place.
  private static func text(of stanza: MessageStanza) -> String? {
    stanza.content ?? (stanza.tombstone == nil ? nil : "")
  }
}

/// Gives the messages of a page times that keep the archive's order.
///
/// Some archives tell whole seconds, so that several messages have one stamp, and what was stored as it arrived has an
/// earlier stamp in the archive than here. The database orders by time: what is moved is moved by microseconds.
enum ArchiveOrder {
  static let step = 0.000_001
  /// Seconds that are left between what was known when a session began and what comes live in it: the messages of some
  /// pages, a step each, have room there.
  static let gap = 0.02

  /// For a page that follows what is stored up to `place`.
  static func times(of stamps: [Date], after place: Date?, now: Date) -> [Date] {
    guard !stamps.isEmpty else { return [] }
    var last = place ?? .distantPast
    return stamps.map { stamp in
      // A stamp in the future would keep the message at the bottom for ever.
      let time = min(stamp, now)
      last = time > last ? time : last.addingTimeInterval(step)
      return last
    }
  }

  /// For a page that ends where `newer` begins and comes after `older`, with an unknown number of messages between.
  ///
  /// Stamps that are too coarse, or of another clock, to be after `older` are put next to `newer`: below them there must be
  /// room for what is still missing.
  static func times(of stamps: [Date], after older: Date, before newer: Date, now: Date) -> [Date] {
    times(of: stamps.map { $0 > older ? $0 : newer }, before: newer, now: max(now, newer))
  }

  /// For a page that comes before what is stored from `place` on.
  static func times(of stamps: [Date], before place: Date?, now: Date) -> [Date] {
    var next = place ?? .distantFuture
    let backwards = stamps.reversed().map { stamp in
      let time = min(stamp, now)
      next = time < next ? time : next.addingTimeInterval(-step)
      return next
    }
    return backwards.reversed()
  }
}
