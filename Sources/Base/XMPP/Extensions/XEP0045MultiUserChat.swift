import XML

/// The namespaces of rooms (XEP-0045 §18.1).
package enum XEP0045 {
  package static let namespace = "http://jabber.org/protocol/muc"
  package static let user = "http://jabber.org/protocol/muc#user"
  package static let admin = "http://jabber.org/protocol/muc#admin"
  package static let owner = "http://jabber.org/protocol/muc#owner"
  /// The `FORM_TYPE` of a room's configuration (§18.5.3).
  package static let configuration = "http://jabber.org/protocol/muc#roomconfig"

  /// The part of a room's history that a join requests (§7.2.13).
  package enum History: Hashable, Sendable {
    case none
    /// At most this many messages.
    case newest(Int)
    /// Everything sent at or after this XEP-0082 timestamp.
    case since(String)
    /// Everything of the last seconds, by the room's clock.
    case seconds(Int)
  }

  /// Returns the `<x/>` of a presence that joins a room (§7.2.2).
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

  /// Returns a query or a change of a room's lists (§9, §10).
  package static func administration(_ type: String, room: JID, _ items: [Element]) -> Element {
    Element(
      "iq", Namespace.client, ["type": type, "to": room.description],
      [Element("query", admin, [:], items)])
  }

  /// Returns an entry of such a change.
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

  /// Returns a request for a room's owner form, or its submission (§10.1, §10.2, §10.9).
  package static func ownership(_ type: String, room: JID, _ payload: Element? = nil) -> Element {
    var query = Element("query", owner)
    if let payload { query.append(payload) }
    return Element("iq", Namespace.client, ["type": type, "to": room.description], [query])
  }

  /// Returns an invitation that the room forwards (§7.8.2).
  package static func invitation(of guest: JID, to room: JID, reason: String?) -> Element {
    var invite = Element("invite", user, ["to": guest.bare.description])
    if let reason, !reason.isEmpty { invite.append(Element("reason", user, text: reason)) }
    return Element(
      "message", Namespace.client, ["to": room.description],
      [Element("x", user, [:], [invite])])
  }

  /// Returns the message that declines an invitation (§7.8.2).
  package static func decline(to inviter: JID, of room: JID) -> Element {
    Element(
      "message", Namespace.client, ["to": room.description],
      [Element("x", user, [:], [Element("decline", user, ["to": inviter.bare.description])])])
  }
}

/// The data of an occupant (XEP-0045 §7.2.3): the `<item/>` of a presence or of a list.
package struct XEP0045Item: Hashable, Sendable {
  /// The role, unchecked: `moderator`, `participant`, `visitor`, `none`.
  package let role: String?
  /// The affiliation, unchecked: `owner`, `admin`, `member`, `none`, `outcast`.
  package let affiliation: String?
  /// The real JID, if the room shows it; otherwise `absent`.
  package let address: AddressAttribute
  /// The real JID, if the room shows it.
  package var jid: JID? { address.jid }
  /// The new nick in a change of nick, or the registered nick; `nil` for text that no nick can be.
  package let nick: String?
  /// The nick or JID of the occupant that caused the change.
  package let actor: String?
  package let reason: String?

  /// Reads an `<item/>` of `muc#user` or `muc#admin`; the reason is limited to
  /// `String.longestText`.
  package init(_ element: Element) {
    role = element["role"]
    affiliation = element["affiliation"]
    address = element.address("jid")
    // A nick is the resource of an address (§7.2): a room can send anything here.
    nick = element["nick"].flatMap { try? JIDPreparation.resource($0[...]) }
    let namespace = element.namespace
    let by = element.first("actor", namespace)
    actor = by?["nick"]?.beginning ?? by?.address("jid").jid?.bare.description
    reason = element.first("reason", namespace)?.text.beginning
  }
}

/// The room-specific part of a presence (XEP-0045 §7.2.3, §7.14, §9.1): the `<x/>` of `muc#user`.
package struct XEP0045Presence: Hashable, Sendable {
  package let item: XEP0045Item?
  package let codes: Set<Int>
  package let destruction: Destruction?

  /// The data of a destroyed room (§10.9): the alternative room, and the reason.
  package struct Destruction: Hashable, Sendable {
    package let alternative: JID?
    package let reason: String?
  }

  /// Reads a presence; `nil` when it is not from a room.
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
  /// Indicates whether it has a room's `<x/>`, which private messages have too (XEP-0045 §7.5).
  package var isFromRoom: Bool { element.first("x", XEP0045.user) != nil }

  /// The status codes of a room's message (XEP-0045 §15.6), for example for a changed
  /// configuration.
  package var roomCodes: Set<Int> {
    element.first("x", XEP0045.user).map { XEP0045Presence.codes(in: $0) } ?? []
  }

  /// Indicates whether it sets the room's subject: a `<subject/>`, even an empty one, and no body
  /// (XEP-0045 §8.1). Of a message over a limit, the part that was not read may have the body: then
  /// the room has not checked whether its sender may change the subject.
  package var isSubjectChange: Bool {
    kind == .groupchat && !element.exceedsLimit
      && element.first("subject", Namespace.client) != nil
      && element.first("body", Namespace.client) == nil
      && element.first("thread", Namespace.client) == nil
  }

  /// The permanent id that a room gives each occupant (XEP-0421 §3.1). Only a room that announces
  /// the feature may set it.
  package var occupantID: String? {
    element.first("occupant-id", Namespace.occupantID)?["id"]?.nonEmpty?.identifier
  }
}

extension PresenceStanza {
  /// The permanent id that a room gives each occupant (XEP-0421 §3.1).
  package var occupantID: String? {
    element.first("occupant-id", Namespace.occupantID)?["id"]?.nonEmpty?.identifier
  }
}

/// An invitation to a room: forwarded by the room (XEP-0045 §7.8.2) or sent directly (XEP-0249).
package struct XEP0045Invitation: Hashable, Sendable {
  package let room: JID
  package let inviter: JID
  package let reason: String?
  package let password: String?
  /// Indicates whether the room forwarded it: only then can it be declined.
  package let isMediated: Bool

  /// Reads an invitation; `nil` when `message` is something else.
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
    // The sender may have written the reason as the text of the message. Beside an encrypted text,
    // or keys, it only says that something is encrypted.
    let isFallback = message.encryption != nil || message.announcedEncryption != nil
    let text = isFallback ? nil : message.body
    reason = [x["reason"], text].compactMap { $0 }.first { !$0.saysNothing }?.beginning
    password = Self.password(x["password"])
    isMediated = false
  }

  /// Returns the password if it is not too long: a truncated password would be wrong, and no room
  /// has such a long password.
  private static func password(_ text: String?) -> String? {
    text.flatMap { $0.utf8.count <= String.longestText ? $0 : nil }
  }
}

/// A room's notice that an invited contact declines (XEP-0045 §7.8.2).
package struct XEP0045Decline: Hashable, Sendable {
  package let room: JID
  package let guest: JID
  package let reason: String?

  /// Reads such a notice; `nil` when `message` is something else.
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

  /// Returns an invitation of `guest` to `room`. It has no text, and a hint stores it for devices
  /// that are offline (XEP-0334 §3.4).
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
