import XML

/// A bookmarked room, as the server stores it: XEP-0402, and XEP-0048 before it.
package struct XEP0402Bookmark: Hashable, Sendable {
  package static let namespace = "urn:xmpp:bookmarks:1"
  /// The namespace of XEP-0048, stored in PubSub or in private storage (XEP-0049).
  package static let storageNamespace = "storage:bookmarks"
  package static let privateNamespace = "jabber:iq:private"

  package let room: JID
  package var name: String?
  package var nick: String?
  package var password: String?
  package var autojoins: Bool
  /// Data that other clients store with it; it must survive a change (XEP-0402 §2.1).
  package var extensions: Element?

  package init(
    room: JID, name: String? = nil, nick: String? = nil, password: String? = nil,
    autojoins: Bool = false, extensions: Element? = nil
  ) {
    self.room = room.bare
    self.name = name
    self.nick = nick
    self.password = password
    self.autojoins = autojoins
    self.extensions = extensions
  }

  /// Reads an `<item/>` of the node (XEP-0402 §2); its id is the room's address.
  package init?(item: Element) {
    guard let room = item.address("id").jid, room.isBare, room.local != nil,
      let conference = item.first("conference", Self.namespace)
    else { return nil }
    self.init(room: room, conference, Self.namespace)
    extensions = conference.first("extensions", Self.namespace)
  }

  /// Reads a `<conference/>` of XEP-0048 §3.
  package init?(legacy conference: Element) {
    guard conference.is("conference", Self.storageNamespace),
      let room = conference.address("jid").jid, room.local != nil
    else { return nil }
    self.init(room: room, conference, Self.storageNamespace)
  }

  /// The longest text that is read, in bytes.
  private static let textBytes = 1024

  private init(room: JID, _ conference: Element, _ namespace: String) {
    func text(_ name: String) -> String? {
      conference.first(name, namespace).map(\.text).flatMap { $0.isEmpty ? nil : $0 }
    }
    self.init(
      room: room,
      name: conference["name"].flatMap { $0.isEmpty ? nil : $0.beginning(bytes: Self.textBytes) },
      // A cut nick or password would be another one, and no room has such a long one.
      nick: text("nick").flatMap { $0.utf8.count <= Self.textBytes ? $0 : nil },
      password: text("password").flatMap { $0.utf8.count <= Self.textBytes ? $0 : nil },
      autojoins: ["true", "1"].contains(conference["autojoin"]))
  }

  /// The bookmark as an item of the node.
  package var item: Element {
    var conference = conference(Self.namespace)
    if let extensions { conference.append(extensions) }
    return Element("item", Namespace.pubSub, ["id": room.description], [conference])
  }

  /// The bookmark as an entry of XEP-0048.
  package var legacy: Element {
    var conference = conference(Self.storageNamespace)
    conference["jid"] = room.description
    return conference
  }

  private func conference(_ namespace: String) -> Element {
    var conference = Element("conference", namespace, ["autojoin": autojoins ? "true" : "false"])
    conference["name"] = name
    if let nick { conference.append(Element("nick", namespace, text: nick)) }
    if let password { conference.append(Element("password", namespace, text: password)) }
    return conference
  }
}
