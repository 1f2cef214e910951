import Foundation
import NatterCore
import XMPP

extension IncomingMessage {
  /// The chat message in `result`, a result from the archive of `account`; `nil` when it is something else.
  init?(_ result: XEP0313Result, archivedBy account: JID) {
    let stanza = result.message
    guard stanza.kind == .chat || stanza.kind == .normal, let body = stanza.body, !body.isEmpty,
      let sender = stanza.from
    else { return nil }
    let isOwn = sender.bare == account
    // An invitation is no message; private words of somebody in a room are a conversation of their own (XEP-0045 §7.5).
    guard XEP0045Invitation(stanza) == nil else { return nil }
    let other = isOwn ? stanza.to ?? account : sender
    let peer = stanza.isFromRoom ? other : other.bare
    self.init(
      conversation: peer, sender: sender, direction: isOwn ? .outgoing : .incoming, body: body,
      sentAt: result.stamp, originID: stanza.originID ?? stanza.id, stanzaID: result.id,
      isDelayed: true)
  }
}

/// Gives the messages of a page times that keep the archive's order.
///
/// Some archives tell whole seconds, so that several messages have one stamp, and what was stored as it arrived has an
/// earlier stamp in the archive than here. The database orders by time: what is moved is moved by microseconds.
enum ArchiveOrder {
  private static let step = 0.000_001

  /// For a page that follows what is stored up to `place`.
  static func times(of stamps: [Date], after place: Date?, now: Date) -> [Date] {
    var last = place ?? .distantPast
    return stamps.map { stamp in
      // A stamp in the future would keep the message at the bottom for ever.
      let time = min(stamp, now)
      last = time > last ? time : last.addingTimeInterval(step)
      return last
    }
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
