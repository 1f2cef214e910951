/// How far a conversation was read, kept for all the account's clients (XEP-0490).
package struct XEP0490Displayed: Hashable, Sendable {
  package static let node = "urn:xmpp:mds:displayed:0"
  /// Goes into this client's features, so that the server tells it of what other clients publish.
  package static let notifications = node + "+notify"

  /// The bare address of the contact or room.
  package let conversation: JID
  /// The archive's id of the newest message that was read (XEP-0359).
  package let stanzaID: String
  /// Whose archive gave the id: the own account's, or the room's.
  package let by: JID

  package init(conversation: JID, stanzaID: String, by: JID) {
    self.conversation = conversation
    self.stanzaID = stanzaID
    self.by = by
  }

  /// Reads an `<item/>` of the node; `nil` when something is missing in it (§3).
  package init?(item: Element) {
    guard let conversation = item.address("id").jid,
      let stanzaID = item.first("displayed", Self.node)?.first("stanza-id", Namespace.stanzaIDs),
      let id = stanzaID["id"], !id.isEmpty, let by = stanzaID.address("by").jid
    else { return nil }
    self.init(conversation: conversation, stanzaID: id, by: by)
  }

  /// The question for all that the node holds.
  package static var query: Element { XEP0060.items(of: node) }

  /// What an answer to `query` holds.
  package static func positions(inAnswer answer: Element) -> [XEP0490Displayed] {
    let items = answer.first("pubsub", Namespace.pubSub)?.first("items", Namespace.pubSub)
    guard let items, items["node"] == node else { return [] }
    return items.all("item", Namespace.pubSub).compactMap { XEP0490Displayed(item: $0) }
  }

  /// What the server tells in `message` of another client; empty when it tells nothing of it. Anybody can send such a
  /// thing: it counts from the own account alone.
  package static func positions(in message: MessageStanza, of account: JID) -> [XEP0490Displayed] {
    guard message.isFrom(account.bare),
      let items = message.element.first("event", XEP0060.events)?.first("items", XEP0060.events),
      items["node"] == node
    else { return [] }
    return items.all("item", XEP0060.events).compactMap { XEP0490Displayed(item: $0) }
  }

  /// Makes the node, for this account's eyes only, with room for more than one conversation.
  ///
  /// In a step of its own: some servers refuse publish-options that they do not know, and a node made by a plain publish
  /// holds one item and is open to every contact.
  package static var creation: Element { XEP0060.creation(of: node) }

  /// The same for a node that is there and is otherwise.
  package static var reconfiguration: Element { XEP0060.closing(of: node) }

  /// Publishes this position, on the condition that nobody else can read it.
  package var publication: Element {
    let item = Element(
      "item", Namespace.pubSub, ["id": conversation.description],
      [
        Element(
          "displayed", Self.node, [:],
          [
            Element(
              "stanza-id", Namespace.stanzaIDs, ["by": by.description, "id": stanzaID])
          ])
      ])
    return XEP0060.publication(of: item, in: Self.node)
  }
}
