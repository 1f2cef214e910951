import XML

/// The position up to which a conversation was read, shared by all clients of the account
/// (XEP-0490).
package struct XEP0490Displayed: Hashable, Sendable {
  package static let node = "urn:xmpp:mds:displayed:0"
  /// The feature of this client that makes the server notify it of other clients' changes.
  package static let notifications = node + "+notify"

  /// The bare JID of the contact or room.
  package let conversation: JID
  /// The archive id of the newest message that was read (XEP-0359).
  package let stanzaID: String
  /// The archive that gave the id: the own account's, or the room's.
  package let by: JID

  package init(conversation: JID, stanzaID: String, by: JID) {
    self.conversation = conversation
    self.stanzaID = stanzaID
    self.by = by
  }

  /// Reads an `<item/>` of the node; `nil` when something is missing (§3).
  package init?(item: Element) {
    guard let conversation = item.address("id").jid,
      let stanzaID = item.first("displayed", Self.node)?.first("stanza-id", Namespace.stanzaIDs),
      let id = stanzaID["id"], !id.isEmpty, let by = stanzaID.address("by").jid
    else { return nil }
    self.init(conversation: conversation, stanzaID: id.identifier, by: by)
  }

  /// The request for all items of the node.
  package static var query: Element { XEP0060.items(of: node) }

  /// Returns the positions in a response to `query`.
  package static func positions(inAnswer answer: Element) -> [XEP0490Displayed] {
    let items = answer.first("pubsub", Namespace.pubSub)?.first("items", Namespace.pubSub)
    guard let items, items["node"] == node else { return [] }
    return items.all("item", Namespace.pubSub).compactMap { XEP0490Displayed(item: $0) }
  }

  /// Returns the positions in the server's notification about another client; empty for any other
  /// message. Any entity can send such a message: only those from the own account count.
  package static func positions(in message: MessageStanza, of account: JID) -> [XEP0490Displayed] {
    guard message.isFrom(account.bare),
      let items = message.element.first("event", XEP0060.events)?.first("items", XEP0060.events),
      items["node"] == node
    else { return [] }
    return items.all("item", XEP0060.events).compactMap { XEP0490Displayed(item: $0) }
  }

  /// The request that creates the node, readable only by this account, with room for more than one
  /// conversation.
  ///
  /// Creation is a separate step, because some servers reject publish-options that they do not
  /// support, and a node created by a plain publish holds a single item and is readable by every
  /// contact.
  package static var creation: Element { XEP0060.creation(of: node) }

  /// The request that configures an existing node in the same way.
  package static var reconfiguration: Element { XEP0060.closing(of: node) }

  /// The request that publishes this position, on the condition that only the account can read it.
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
