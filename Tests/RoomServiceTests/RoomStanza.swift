import TestSupport
import XML
import XMPP

/// Stanzas as a room sends them, or the server about its bookmark.
enum RoomStanza {
  static let room = JID(local: "balcony", domain: "rooms.example.org")

  static func presence(
    _ nick: String, type: String? = nil, role: String = "participant",
    affiliation: String = "none", codes: [Int] = [], newNick: String? = nil, actor: String? = nil,
    reason: String? = nil, jid: String? = nil, _ more: Element...
  ) -> PresenceStanza {
    var item = Element("item", XEP0045.user, ["role": role, "affiliation": affiliation])
    item["nick"] = newNick
    item["jid"] = jid
    if let actor { item.append(Element("actor", XEP0045.user, ["nick": actor])) }
    if let reason { item.append(Element("reason", XEP0045.user, text: reason)) }
    let x = Element(
      "x", XEP0045.user, [:],
      [item] + codes.map { Element("status", XEP0045.user, ["code": String($0)]) } + more)
    var presence = Element("presence", Namespace.client, ["from": "\(room)/\(nick)"], [x])
    presence["type"] = type
    return PresenceStanza(presence)
  }

  static func refusal(_ condition: StanzaError.Condition) -> PresenceStanza {
    PresenceStanza(
      Element(
        "presence", Namespace.client, ["from": "\(room)/alice", "type": "error"],
        [StanzaError(.cancel, condition).element]))
  }

  static func subject(_ text: String, from nick: String? = "bob") -> MessageStanza {
    MessageStanza(
      Element(
        "message", Namespace.client,
        ["type": "groupchat", "from": nick.map { "\(room)/\($0)" } ?? room.description],
        [Element("subject", Namespace.client, text: text)]))
  }

  /// Returns the notification of a change of the account's bookmarks.
  static func bookmarkEvent(_ change: Element) -> Stanza {
    .message(
      from: "alice@example.org", type: "headline",
      Element(
        "event", XEP0060.events, [:],
        [Element("items", XEP0060.events, ["node": XEP0402Bookmark.namespace], [change])]))
  }

  /// Returns a bookmark as an item of a notification.
  static func item(_ bookmark: XEP0402Bookmark) -> Element {
    Element("item", XEP0060.events, ["id": bookmark.room.description], bookmark.item.elements)
  }
}
