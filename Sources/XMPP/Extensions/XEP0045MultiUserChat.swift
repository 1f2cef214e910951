/// The namespaces of rooms (XEP-0045 §18.1).
package enum XEP0045 {
  package static let namespace = "http://jabber.org/protocol/muc"
  package static let user = "http://jabber.org/protocol/muc#user"
  package static let admin = "http://jabber.org/protocol/muc#admin"
  package static let owner = "http://jabber.org/protocol/muc#owner"
  /// The `FORM_TYPE` of a room's configuration (§18.5.3).
  package static let configuration = "http://jabber.org/protocol/muc#roomconfig"

  /// What a join asks of the past (§7.2.13).
  package enum History: Hashable, Sendable {
    case none
    /// At most so many messages.
    case newest(Int)
    /// Everything sent at or after this text of XEP-0082.
    case since(String)
    /// Everything of the last so many seconds, by the room's clock.
    case seconds(Int)
  }

  /// The `<x/>` of a presence that enters a room (§7.2.2).
  package static func entrance(password: String?, history: History) -> Element {
    var x = Element("x", namespace)
    var past = Element("history", namespace)
    switch history {
    case .none: past["maxstanzas"] = "0"
    case .newest(let count): past["maxstanzas"] = String(count)
    case .since(let stamp): past["since"] = stamp
    case .seconds(let seconds): past["seconds"] = String(seconds)
    }
    x.append(past)
    if let password { x.append(Element("password", namespace, text: password)) }
    return x
  }

  /// A question or change to the lists of a room (§9, §10).
  package static func administration(_ type: String, room: JID, _ items: [Element]) -> Element {
    Element(
      "iq", Namespace.client, ["type": type, "to": room.description],
      [Element("query", admin, [:], items)])
  }

  /// One entry of such a change.
  package static func item(
    nick: String? = nil, jid: JID? = nil, role: String? = nil, affiliation: String? = nil,
    reason: String? = nil
  ) -> Element {
    var item = Element("item", admin)
    item["nick"] = nick
    item["jid"] = jid?.description
    item["role"] = role
    item["affiliation"] = affiliation
    if let reason, !reason.isEmpty { item.append(Element("reason", admin, text: reason)) }
    return item
  }

  /// A question or an answer to a room's owner form (§10.1, §10.2, §10.9).
  package static func ownership(_ type: String, room: JID, _ payload: Element? = nil) -> Element {
    var query = Element("query", owner)
    if let payload { query.append(payload) }
    return Element("iq", Namespace.client, ["type": type, "to": room.description], [query])
  }

  /// An invitation that the room passes on (§7.8.2).
  package static func invitation(of guest: JID, to room: JID, reason: String?) -> Element {
    var invite = Element("invite", user, ["to": guest.bare.description])
    if let reason, !reason.isEmpty { invite.append(Element("reason", user, text: reason)) }
    return Element(
      "message", Namespace.client, ["to": room.description],
      [Element("x", user, [:], [invite])])
  }

  /// The answer to somebody whose invitation is not followed (§7.8.2).
  package static func decline(to inviter: JID, of room: JID) -> Element {
    Element(
      "message", Namespace.client, ["to": room.description],
      [Element("x", user, [:], [Element("decline", user, ["to": inviter.bare.description])])])
  }
}

/// What a room says of an occupant (XEP-0045 §7.2.3): the `<item/>` of a presence or of a list.
package struct XEP0045Item: Hashable, Sendable {
  /// The role, unchecked: `moderator`, `participant`, `visitor`, `none`.
  package let role: String?
  /// The affiliation, unchecked: `owner`, `admin`, `member`, `none`, `outcast`.
  package let affiliation: String?
  /// The real address, as the room tells it: `absent` where it does not.
  package let address: AddressAttribute
  /// The real address, where the room tells it.
  package var jid: JID? { address.jid }
  /// The new nick of a change, or the nick that is registered.
  package let nick: String?
  /// Who did it, and why.
  package let actor: String?
  package let reason: String?

  package init(_ element: Element) {
    role = element["role"]
    affiliation = element["affiliation"]
    address = element.address("jid")
    nick = element["nick"]
    let namespace = element.namespace
    let by = element.first("actor", namespace)
    actor = by?["nick"] ?? by?.address("jid").jid?.bare.description
    reason = element.first("reason", namespace)?.text.beginning
  }
}

/// What a presence from a room says (XEP-0045 §7.2.3, §7.14, §9.1): the `<x/>` of `muc#user`.
package struct XEP0045Presence: Hashable, Sendable {
  package let item: XEP0045Item?
  package let codes: Set<Int>
  package let destruction: Destruction?

  /// What is said of a room that was destroyed (§10.9): where to go instead, and why.
  package struct Destruction: Hashable, Sendable {
    package let alternative: JID?
    package let reason: String?
  }

  /// `nil` when the presence is from no room.
  package init?(_ presence: PresenceStanza) {
    guard let x = presence.element.first("x", XEP0045.user) else { return nil }
    item = x.first("item", XEP0045.user).map { XEP0045Item($0) }
    codes = Self.codes(in: x)
    destruction = x.first("destroy", XEP0045.user).map {
      Destruction(
        alternative: $0.address("jid").jid,
        reason: $0.first("reason", XEP0045.user)?.text.beginning)
    }
  }

  static func codes(in x: Element) -> Set<Int> {
    Set(x.all("status", XEP0045.user).compactMap { $0["code"].flatMap { Int($0) } })
  }
}

extension MessageStanza {
  /// Whether it carries the mark of a room: so do private messages (XEP-0045 §7.5).
  package var isFromRoom: Bool { element.first("x", XEP0045.user) != nil }

  /// The status codes of a room's message (XEP-0045 §15.6), as those that tell of a changed configuration.
  package var roomCodes: Set<Int> {
    element.first("x", XEP0045.user).map { XEP0045Presence.codes(in: $0) } ?? []
  }

  /// Whether it sets the room's subject: a `<subject/>`, even an empty one, and no body (XEP-0045 §8.1).
  package var isSubjectChange: Bool {
    kind == .groupchat && element.first("subject", Namespace.client) != nil
      && element.first("body", Namespace.client) == nil
      && element.first("thread", Namespace.client) == nil
  }

  /// The id that a room gives each person for ever (XEP-0421 §3.1). Only a room that announces it may set it.
  package var occupantID: String? {
    element.first("occupant-id", Namespace.occupantID)?["id"]
  }
}

extension PresenceStanza {
  /// The id that a room gives each person for ever (XEP-0421 §3.1).
  package var occupantID: String? {
    element.first("occupant-id", Namespace.occupantID)?["id"]
  }
}

/// A word that somebody should come to a room: passed on by the room (XEP-0045 §7.8.2) or sent directly (XEP-0249).
package struct XEP0045Invitation: Hashable, Sendable {
  package let room: JID
  package let inviter: JID
  package let reason: String?
  package let password: String?
  /// Whether the room passed it on: only then can it be declined.
  package let isMediated: Bool

  /// `nil` when `message` is none.
  package init?(_ message: MessageStanza) {
    guard message.kind != .error, message.kind != .groupchat, let from = message.from else {
      return nil
    }
    if let x = message.element.first("x", XEP0045.user), from.isBare,
      let invite = x.first("invite", XEP0045.user),
      let inviter = invite.address("from").jid
    {
      room = from
      self.inviter = inviter
      reason = invite.first("reason", XEP0045.user)?.text.beginning
      password = Self.password(x.first("password", XEP0045.user)?.text)
      isMediated = true
      return
    }
    guard let x = message.element.first("x", XEP0249.namespace),
      let room = x.address("jid").jid, room.local != nil
    else { return nil }
    self.room = room.bare
    inviter = from.bare
    reason = x["reason"]?.beginning
    password = Self.password(x["password"])
    isMediated = false
  }

  /// Cut it would be another one, and no room has one that is so long.
  private static func password(_ text: String?) -> String? {
    text.flatMap { $0.utf8.count <= String.longestWords ? $0 : nil }
  }
}

/// A room's word that somebody does not come who was invited through it (XEP-0045 §7.8.2).
package struct XEP0045Decline: Hashable, Sendable {
  package let room: JID
  package let guest: JID
  package let reason: String?

  /// `nil` when `message` is none.
  package init?(_ message: MessageStanza) {
    guard message.kind != .error, message.kind != .groupchat, let room = message.from, room.isBare,
      let decline = message.element.first("x", XEP0045.user)?.first("decline", XEP0045.user),
      let guest = decline.address("from").jid
    else { return nil }
    self.room = room
    self.guest = guest
    reason = decline.first("reason", XEP0045.user)?.text.beginning
  }
}

/// Direct invitations (XEP-0249 §2).
package enum XEP0249 {
  package static let namespace = "jabber:x:conference"

  /// An invitation of `guest` to `room`. It has no text, and is to reach also the devices that are away (XEP-0334 §3.4).
  package static func invitation(of guest: JID, to room: JID, reason: String?, password: String?)
    -> Element
  {
    var x = Element("x", namespace, ["jid": room.bare.description])
    if let reason, !reason.isEmpty { x["reason"] = reason }
    x["password"] = password
    return Element(
      "message", Namespace.client, ["to": guest.bare.description], [x, XEP0334Hints.store])
  }
}
