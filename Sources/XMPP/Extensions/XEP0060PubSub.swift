/// Questions to a node of the own account (XEP-0060, XEP-0163).
package enum XEP0060 {
  /// As many items as every server lets a node have that is to have as many as there may be.
  package static let capacity = 256
  package static let events = "http://jabber.org/protocol/pubsub#event"
  private static let configuration = "http://jabber.org/protocol/pubsub#node_config"
  private static let owner = "http://jabber.org/protocol/pubsub#owner"
  private static let options = "http://jabber.org/protocol/pubsub#publish-options"

  /// Asks for all items of `node` (§6.5).
  package static func items(of node: String) -> Element {
    request("get", Element("items", Namespace.pubSub, ["node": node]))
  }

  /// Makes `node` for any number of items that nobody else may read (§8.1.3).
  ///
  /// In a step of its own: there are servers that refuse an item limit among the options of a publish, and that give a
  /// node made by a plain publish one item, open to every contact.
  package static func creation(of node: String) -> Element {
    request(
      "set", Element("create", Namespace.pubSub, ["node": node]),
      Element("configure", Namespace.pubSub, [:], [closed]))
  }

  /// Sets an own `node` that is there up like one that `creation(of:)` makes (§8.2.4).
  package static func closing(of node: String) -> Element {
    owning("set", Element("configure", owner, ["node": node], [closed]))
  }

  /// Many items, kept, for the account's own eyes.
  private static var closed: Element {
    XEP0004DataForm(
      .submit,
      fields: [
        .init("FORM_TYPE", kind: .hidden, values: [configuration]),
        .init("pubsub#persist_items", values: ["true"]),
        .init("pubsub#max_items", values: ["max"]),
        .init("pubsub#access_model", values: ["whitelist"]),
        .init("pubsub#send_last_published_item", values: ["never"]),
        .init("pubsub#notify_retract", values: ["true"]),
      ]
    ).element
  }

  /// Publishes `item` in `node`, on the condition that nobody else may read it (§7.1.5).
  package static func publication(of item: Element, in node: String) -> Element {
    var form = XEP0004DataForm(.submit)
    form.fields = [
      .init("FORM_TYPE", kind: .hidden, values: [options]),
      .init("pubsub#persist_items", values: ["true"]),
      .init("pubsub#access_model", values: ["whitelist"]),
    ]
    return request(
      "set", Element("publish", Namespace.pubSub, ["node": node], [item]),
      Element("publish-options", Namespace.pubSub, [:], [form.element]))
  }

  /// Publishes `item` in `node`, for whoever may read it (§7.1); a node that is not there is made for the contacts (XEP-0163).
  package static func announcement(of item: Element, in node: String) -> Element {
    request("set", Element("publish", Namespace.pubSub, ["node": node], [item]))
  }

  /// Asks how the own `node` is set up (§8.2.1).
  package static func settings(of node: String) -> Element {
    owning("get", Element("configure", owner, ["node": node]))
  }

  /// Sets who may read the own `node` (§4.5).
  package static func access(_ model: String, to node: String) -> Element {
    var form = XEP0004DataForm(.submit)
    form.fields = [
      .init("FORM_TYPE", kind: .hidden, values: [configuration]),
      .init("pubsub#access_model", values: [model]),
    ]
    return owning("set", Element("configure", owner, ["node": node], [form.element]))
  }

  /// Who may read the node that an answer to `settings(of:)` is about; `nil` where it does not say.
  package static func accessModel(in answer: Element) -> String? {
    form(in: answer)?["pubsub#access_model"]?.values.first
  }

  /// How many items the node keeps that an answer to `settings(of:)` is about; `nil` where it does not say.
  package static func itemLimit(in answer: Element) -> Int? {
    form(in: answer)?["pubsub#max_items"]?.values.first.flatMap { $0 == "max" ? capacity : Int($0) }
  }

  /// Whether the node that an answer to `settings(of:)` is about is set up like one that `creation(of:)` makes, as far as its
  /// server lets anybody choose.
  package static func isClosed(in answer: Element) -> Bool {
    guard let form = form(in: answer), let wanted = XEP0004DataForm(closed) else { return true }
    return wanted.fields.allSatisfy { field in
      guard let name = field.name, let value = form[name]?.values.first else { return true }
      return switch field.values.first {
      case "max": itemLimit(in: answer).map { $0 >= capacity } ?? true
      case "true": ["1", "true"].contains(value)
      case let chosen: value == chosen
      }
    }
  }

  private static func form(in answer: Element) -> XEP0004DataForm? {
    answer.first("pubsub", owner)?.first("configure", owner)?.first("x", Namespace.dataForms)
      .flatMap { XEP0004DataForm($0) }
  }

  /// Takes an item out of `node`, and has others told (§7.2).
  package static func retraction(of id: String, from node: String) -> Element {
    request(
      "set",
      Element(
        "retract", Namespace.pubSub, ["node": node, "notify": "true"],
        [Element("item", Namespace.pubSub, ["id": id])]))
  }

  /// The items in an answer to `items(of:)`.
  package static func items(in answer: Element) -> [Element] {
    answer.first("pubsub", Namespace.pubSub)?.first("items", Namespace.pubSub)?
      .all("item", Namespace.pubSub) ?? []
  }

  /// Whether an answer to `items(of:)` has some of the items only (§6.5.4).
  package static func isPart(_ answer: Element) -> Bool {
    answer.first("pubsub", Namespace.pubSub)?.first("set", Namespace.resultSets) != nil
  }

  private static func owning(_ type: String, _ payload: Element) -> Element {
    Element("iq", Namespace.client, ["type": type], [Element("pubsub", owner, [:], [payload])])
  }

  private static func request(_ type: String, _ payload: Element...) -> Element {
    Element(
      "iq", Namespace.client, ["type": type], [Element("pubsub", Namespace.pubSub, [:], payload)])
  }
}

/// A notification about one node (XEP-0060 §7.1.2.1).
package struct XEP0060Event: Hashable, Sendable {
  package let node: String
  /// What was published, as items in the namespace of events.
  package let items: [Element]
  /// The ids of what was taken out.
  package let retracted: [String]

  /// `nil` when `message` is none. Who sent it is for the caller to look at.
  package init?(_ message: MessageStanza) {
    guard
      let items = message.element.first("event", XEP0060.events)?.first("items", XEP0060.events),
      let node = items["node"]
    else { return nil }
    self.node = node
    self.items = items.all("item", XEP0060.events)
    retracted = items.all("retract", XEP0060.events).compactMap { $0["id"] }
  }
}
