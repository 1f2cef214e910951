import FoundationEssentials

/// A `<message/>` (RFC 6121 §5).
package struct MessageStanza: StanzaElement {
  /// The message's type (RFC 6121 §5.2.2); one that is missing or unknown counts as `normal`.
  package enum Kind: String, Hashable, Sendable { case chat, error, groupchat, headline, normal }

  package let element: Element
  /// The sender. Read once: each of those who look at a message asks for it.
  package let sender: AddressAttribute
  package let kind: Kind
  /// What the user reads, the preferred language first: of several texts one of these is taken.
  var languages: [String] = []

  package init(_ element: Element) {
    self.element = element
    sender = element.address("from")
    kind = element["type"].flatMap(Kind.init) ?? .normal
  }

  /// A message inside another stanza, as a copy or an archive's result; `nil` when its `from` or `to` is no address, which the
  /// stream lets through in no stanza of its own.
  init?(forwarded element: Element) {
    self.init(element)
    guard hasReadableAddresses else { return nil }
  }

  package static func == (a: Self, b: Self) -> Bool { a.element == b.element }
  package func hash(into hasher: inout Hasher) { hasher.combine(element) }

  /// When it was sent, where it came late (XEP-0203).
  package var delay: Date? {
    delays.first?.stamp
  }

  /// When it came to the server of `account`, or was said in the room that it is from, where that held it back; `nil`: it came
  /// at once (XEP-0203).
  ///
  /// One that does not say who was late may be the sender's: servers and rooms name themselves.
  ///
  /// What a sender tells of himself is no measure: what he typed yesterday and sends now arrives now, archives have it
  /// there, and between yesterday's messages nobody would see it.
  package func heldBack(by account: JID) -> XEP0203Delay? {
    let room = kind == .groupchat ? from?.bare : nil
    let believed =
      [JID(local: nil, domain: account.domain), account.bare] + (room.map { [$0] } ?? [])
    return delays.first { delay in delay.from.map(believed.contains) ?? false }
  }

  /// Whether its sender himself says that it is late: what is sent again after a break says so (XEP-0203 §4).
  package var isSentAgain: Bool {
    delays.lazy.compactMap(\.from)
      .contains { $0.local != nil && (kind != .groupchat || $0.bare != from?.bare) }
  }

  /// Whether the server of `account` could not deliver it at once, in this session or before it: what was delivered earlier
  /// came earlier. What a room tells of its past is another matter.
  package func waited(atServerOf account: JID) -> Bool {
    guard let delay = heldBack(by: account) else { return false }
    return delay.from.map { $0.local == nil && $0.domain == account.domain } ?? false
  }

  /// Whether the room that it is from tells it of its past, and not that the server of the account was late with it.
  package var isOfRoomsPast: Bool {
    kind == .groupchat
      && delays.contains { $0.from == from?.bare && $0.from != nil }
  }

  /// All that says so; what older programs say last (XEP-0091): who says both says the same.
  private var delays: [XEP0203Delay] {
    [("delay", Namespace.delay), ("x", XEP0203Delay.oldNamespace)].flatMap { name, namespace in
      element.first(name, namespace) == nil ? [] : element.all(name, namespace)
    }.compactMap { XEP0203Delay($0) }
  }
}
