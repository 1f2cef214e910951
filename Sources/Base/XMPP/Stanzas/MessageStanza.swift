import FoundationEssentials
import XML

/// A `<message/>` (RFC 6121 §5).
package struct MessageStanza: StanzaElement {
  /// The message's type (RFC 6121 §5.2.2); a missing or unknown type counts as `normal`.
  package enum MessageType: String, Hashable, Sendable {
    case chat, error, groupchat, headline, normal
  }

  package let element: Element
  /// The sender. Parsed once, because every consumer of a message asks for it.
  package let sender: AddressAttribute
  package let kind: MessageType
  /// The languages that the user reads, the preferred one first; they select among several texts.
  var languages: [String] = []
  /// The times before which no delay of the own server, or of the room, is believed.
  var earliest = EarliestDelays()

  package init(_ element: Element) {
    self.element = element
    sender = element.address("from")
    kind = element["type"].flatMap(MessageType.init) ?? .normal
  }

  /// Reads a message inside another stanza: a carbon copy or an archive result. `nil` when its
  /// `from` or `to` is not an address; the stream rejects such stanzas of its own in the same way.
  init?(forwarded element: Element) {
    guard let element = element.readable else { return nil }
    self.init(element)
    guard hasReadableAddresses else { return nil }
  }

  package static func == (a: Self, b: Self) -> Bool { a.element == b.element }
  package func hash(into hasher: inout Hasher) { hasher.combine(element) }

  /// The time when it was sent, if it was delivered late (XEP-0203).
  package var delay: Date? {
    delays.first?.stamp
  }

  /// Returns the delay that the server of `account`, or the room that the message is from, added
  /// because it held the message back (XEP-0203); `nil` when the message came at once.
  ///
  /// A delay that names no entity is ignored, because it may be the sender's: servers and rooms
  /// name themselves. The sender can name them too, and servers forward that: a delay before
  /// `earliest` is ignored as well. Of several, the first counts: a server that sends a message
  /// again appends another.
  ///
  /// The sender's own timestamp does not order messages: a message written yesterday and sent today
  /// arrives today, archives have it there, and between yesterday's messages the user would not
  /// notice it.
  package func heldBack(by account: JID) -> XEP0203Delay? {
    let room = kind == .groupchat ? from?.bare : nil
    let servers = [JID(local: nil, domain: account.domain), account.bare]
    return delays.first { delay in
      guard let from = delay.from else { return false }
      return from == room
        ? delay.stamp >= earliest.room
        : servers.contains(from) && delay.stamp >= earliest.server
    }
  }

  /// Returns the same message, with only the delays believed that are not before these times.
  package func believingDelays(since earliest: EarliestDelays) -> MessageStanza {
    var message = self
    message.earliest = earliest
    return message
  }

  /// Indicates whether the sender itself marks the message as late, as a client does when it sends
  /// a message again after a break (XEP-0203 §4).
  package var isSentAgain: Bool {
    delays.lazy.compactMap(\.from)
      .contains { $0.local != nil && (kind != .groupchat || $0.bare != from?.bare) }
  }

  /// Returns whether the server of `account` could not deliver it at once, in this session or
  /// before it; a message that was delivered earlier came earlier. The history of a room is not
  /// meant.
  package func waited(atServerOf account: JID) -> Bool {
    guard let delay = heldBack(by: account) else { return false }
    return delay.from.map { $0.local == nil && $0.domain == account.domain } ?? false
  }

  /// Indicates whether the message is part of the room's history, and was not delayed by the
  /// account's server.
  package var isOfRoomsPast: Bool {
    kind == .groupchat
      && delays.contains { $0.from == from?.bare && $0.from != nil }
  }

  /// All delays, those of older programs (XEP-0091) last: a sender that adds both gives the same
  /// time.
  private var delays: [XEP0203Delay] {
    [("delay", Namespace.delay), ("x", XEP0203Delay.oldNamespace)].flatMap { name, namespace in
      element.first(name, namespace) == nil ? [] : element.all(name, namespace)
    }.compactMap { XEP0203Delay($0) }
  }
}
