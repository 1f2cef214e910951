import FoundationEssentials
import NatterCore
import XMPP

extension IncomingMessage {
  /// The chat message that `stanza` is, or is the copy of; `nil` if there is none.
  init?(_ stanza: MessageStanza, to account: JID, receivedAt arrival: Date) {
    if let carbon = XEP0280Carbon(stanza, of: account) {
      self.init(carbon, of: account, receivedAt: arrival)
    } else {
      self.init(received: stanza, by: account, delay: stanza.delay, receivedAt: arrival)
    }
  }

  /// What another client of the account sent or received (XEP-0280).
  private init?(_ carbon: XEP0280Carbon, of account: JID, receivedAt arrival: Date) {
    let stanza = carbon.message
    // The message's own delay stamp is older than the copy's, which says when the copy was made.
    let delay = stanza.delay
    guard carbon.direction == .sent else {
      self.init(received: stanza, by: account, delay: delay, receivedAt: arrival)
      return
    }
    guard let body = Self.text(of: stanza), let peer = stanza.to?.bare,
      let sender = stanza.from, sender.bare == account
    else { return nil }
    self.init(
      conversation: peer, sender: sender, direction: .outgoing, body: body,
      sentAt: min(delay ?? arrival, arrival), originID: stanza.originID ?? stanza.id,
      stanzaID: stanza.stanzaID(by: account), isDelayed: delay != nil)
  }

  private init?(
    received stanza: MessageStanza, by account: JID, delay: Date?, receivedAt arrival: Date
  ) {
    guard let body = Self.text(of: stanza) else { return nil }
    // A message without `from` is from the own account (RFC 6120 §8.1.2.1).
    let sender = stanza.from ?? account
    // A stamp in the future would keep the message at the bottom for ever.
    let sentAt = min(delay ?? arrival, arrival)
    self.init(
      conversation: sender.bare, sender: sender, body: body, sentAt: sentAt,
      originID: stanza.originID ?? stanza.id, stanzaID: stanza.stanzaID(by: account),
      isDelayed: delay != nil)
  }

  /// The text of a conversation's message; `nil` when it is something else (RFC 6121 §5.2.2).
  private static func text(of stanza: MessageStanza) -> String? {
    guard stanza.kind == .chat || stanza.kind == .normal, let body = stanza.body, !body.isEmpty
    else { return nil }
    return body
  }
}
