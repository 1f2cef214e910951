import XML

// Requests to nodes of feeds on any service (XEP-0060, XEP-0472).
extension XEP0060 {
  private static let feedConfiguration: [(String, String)] = [
    ("pubsub#persist_items", "true"), ("pubsub#max_items", "max"),
    ("pubsub#notify_retract", "true"), ("pubsub#send_last_published_item", "never"),
  ]

  /// Returns a request for the newest items of a node of `service` (§6.5.7).
  package static func newestItems(_ limit: Int, of node: String, at service: JID) -> Element {
    asked(
      "get", service,
      Element("items", Namespace.pubSub, ["node": node, "max_items": String(limit)]))
  }

  /// Returns a request that subscribes to a node (§6.1), or unsubscribes from it (§6.2).
  package static func subscription(
    _ isWanted: Bool, to node: String, at service: JID, as subscriber: JID
  ) -> Element {
    asked(
      "set", service,
      Element(
        isWanted ? "subscribe" : "unsubscribe", Namespace.pubSub,
        ["node": node, "jid": subscriber.bare.description]))
  }

  /// Returns a request that creates a node for many items (§8.1.3).
  /// - Parameters:
  ///   - access: The access model: `presence`, `open`.
  ///   - publishers: The publish model: `publishers` or `open`.
  ///   - type: The type of its items; the default is that of posts (XEP-0472 §4.1).
  package static func feedCreation(
    of node: String, at service: JID, access: String, publishers: String,
    type: String = "urn:xmpp:microblog:0"
  ) -> Element {
    var form = XEP0004DataForm(.submit)
    form.fields =
      [
        .init(
          "FORM_TYPE", kind: .hidden, values: ["http://jabber.org/protocol/pubsub#node_config"])
      ]
      + (feedConfiguration + [
        ("pubsub#access_model", access), ("pubsub#publish_model", publishers),
        ("pubsub#type", type),
      ]).map { .init($0.0, values: [$0.1]) }
    return asked(
      "set", service, Element("create", Namespace.pubSub, ["node": node]),
      Element("configure", Namespace.pubSub, [:], [form.element]))
  }

  /// Returns a request that publishes `item` in a node of `service` (§7.1).
  package static func publication(of item: Element, in node: String, at service: JID) -> Element {
    asked("set", service, Element("publish", Namespace.pubSub, ["node": node], [item]))
  }

  private static func asked(_ type: String, _ service: JID, _ payload: Element...) -> Element {
    Element(
      "iq", Namespace.client, ["type": type, "to": service.description],
      [Element("pubsub", Namespace.pubSub, [:], payload)])
  }
}
