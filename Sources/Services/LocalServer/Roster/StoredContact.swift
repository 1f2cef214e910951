import XML
import XMPP

/// A roster item of an account, as the server stores it (RFC 6121 §2.1.2).
struct StoredContact: Hashable, Sendable {
  let jid: JID
  var name: String?
  var groups: [String] = []
  var subscription = Subscription.none
  /// Indicates whether the account's clients see the item. An unanswered request alone does not
  /// make a roster item visible (RFC 6121 §3.1.3).
  var isListed = false

  init(
    _ jid: JID, name: String? = nil, groups: [String] = [],
    subscription: Subscription = .none, isListed: Bool = false
  ) {
    self.jid = jid
    self.name = name
    self.groups = groups
    self.subscription = subscription
    self.isListed = isListed
  }

  /// Returns the item with another subscription state. The item becomes listed if the roster shows
  /// the state to clients.
  func with(_ subscription: Subscription) -> StoredContact {
    var item = self
    item.subscription = subscription
    if subscription.to || subscription.from || subscription.pendingOut { item.isListed = true }
    return item
  }

  /// The `<item/>` of a roster result or push.
  var element: Element {
    var element = Element("item", Namespace.roster, ["jid": jid.description])
    element["subscription"] = subscription.attribute
    if let name, !name.isEmpty { element["name"] = name }
    if subscription.pendingOut { element["ask"] = "subscribe" }
    for group in groups { element.append(Element("group", Namespace.roster, text: group)) }
    return element
  }

  /// Returns the `<item/>` that removes `jid` from the clients' rosters.
  static func removal(of jid: JID) -> Element {
    Element("item", Namespace.roster, ["jid": jid.description, "subscription": "remove"])
  }
}
