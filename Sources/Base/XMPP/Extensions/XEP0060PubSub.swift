import XML

/// Requests to a node of the own account (XEP-0060, XEP-0163).
package enum XEP0060 {
  /// The number of items that every server allows in a node whose limit is `max`.
  package static let capacity = 256
  package static let events = "http://jabber.org/protocol/pubsub#event"
  private static let configuration = "http://jabber.org/protocol/pubsub#node_config"
  private static let owner = "http://jabber.org/protocol/pubsub#owner"
  private static let options = "http://jabber.org/protocol/pubsub#publish-options"
  fileprivate static let errors = "http://jabber.org/protocol/pubsub#errors"

  /// Returns a request for all items of `node` (§6.5).
  package static func items(of node: String) -> Element {
    request("get", Element("items", Namespace.pubSub, ["node": node]))
  }

  /// Returns a request for the item `id` of `node` (§6.5.8).
  package static func item(_ id: String, of node: String) -> Element {
    request(
      "get",
      Element(
        "items", Namespace.pubSub, ["node": node], [Element("item", Namespace.pubSub, ["id": id])]))
  }

  /// Returns a request that creates `node` for any number of items that only the account may read
  /// (§8.1.3).
  ///
  /// Creation is a separate step, because some servers reject an item limit among the options of a
  /// publish, and limit a node created by a plain publish to a single item, readable by every
  /// contact.
  package static func creation(of node: String) -> Element {
    request(
      "set", Element("create", Namespace.pubSub, ["node": node]),
      Element("configure", Namespace.pubSub, [:], [closed]))
  }

  /// Returns a request that configures an existing own `node` like a node of `creation(of:)`
  /// (§8.2.4).
  package static func closing(of node: String) -> Element {
    owning("set", Element("configure", owner, ["node": node], [closed]))
  }

  /// The configuration of a private node: persistent, with many items, readable by the account
  /// only.
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

  /// Returns a request that publishes `item` in `node`, on the condition that only the account may
  /// read the node (§7.1.5).
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

  /// Returns a request that publishes `item` in `node`, for everyone who may read it (§7.1); a
  /// missing node is created for the contacts (XEP-0163).
  package static func announcement(of item: Element, in node: String) -> Element {
    request("set", Element("publish", Namespace.pubSub, ["node": node], [item]))
  }

  /// Returns a request that publishes `item` in `node`, on the condition that everyone may read the
  /// node (§7.1.5).
  ///
  /// It has no other option: some servers refuse a publish with one that they do not know, such as
  /// a limit of items.
  package static func openPublication(of item: Element, in node: String) -> Element {
    var form = XEP0004DataForm(.submit)
    form.fields = [.init("FORM_TYPE", kind: .hidden, values: [options])] + open
    return request(
      "set", Element("publish", Namespace.pubSub, ["node": node], [item]),
      Element("publish-options", Namespace.pubSub, [:], [form.element]))
  }

  /// Returns a request that configures an existing own `node` so that `openPublication(of:in:)`
  /// meets its conditions (§8.2.4).
  package static func opening(of node: String) -> Element {
    var form = XEP0004DataForm(.submit)
    form.fields = [.init("FORM_TYPE", kind: .hidden, values: [configuration])] + open
    return owning("set", Element("configure", owner, ["node": node], [form.element]))
  }

  /// The configuration of a node that everyone may read.
  private static let open: [XEP0004DataForm.Field] = [
    .init("pubsub#persist_items", values: ["true"]),
    .init("pubsub#access_model", values: ["open"]),
  ]

  /// Returns a request that deletes the own `node` (§8.4.1).
  package static func deletion(of node: String) -> Element {
    owning("set", Element("delete", owner, ["node": node]))
  }

  /// The feature of servers that take conditions with a publish (§7.1.5).
  package static let optionsFeature = options

  /// Returns a request for the configuration of the own `node` (§8.2.1).
  package static func settings(of node: String) -> Element {
    owning("get", Element("configure", owner, ["node": node]))
  }

  /// Returns a request that sets the access model of the own `node` (§4.5).
  package static func access(_ model: String, to node: String) -> Element {
    var form = XEP0004DataForm(.submit)
    form.fields = [
      .init("FORM_TYPE", kind: .hidden, values: [configuration]),
      .init("pubsub#access_model", values: [model]),
    ]
    return owning("set", Element("configure", owner, ["node": node], [form.element]))
  }

  /// Returns the access model in a response to `settings(of:)`; `nil` when it is missing.
  package static func accessModel(in answer: Element) -> String? {
    form(in: answer)?["pubsub#access_model"]?.values.first
  }

  /// Returns the item limit in a response to `settings(of:)`; `nil` when it is missing.
  package static func itemLimit(in answer: Element) -> Int? {
    form(in: answer)?["pubsub#max_items"]?.values.first.flatMap { $0 == "max" ? capacity : Int($0) }
  }

  /// Returns whether the node that a response to `settings(of:)` describes is configured like a
  /// node of `creation(of:)`, as far as its server makes that configurable.
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

  /// Returns a request that deletes an item from `node` and notifies the subscribers (§7.2).
  package static func retraction(of id: String, from node: String) -> Element {
    request(
      "set",
      Element(
        "retract", Namespace.pubSub, ["node": node, "notify": "true"],
        [Element("item", Namespace.pubSub, ["id": id])]))
  }

  /// Returns the items in a response to `items(of:)`.
  package static func items(in answer: Element) -> [Element] {
    answer.first("pubsub", Namespace.pubSub)?.first("items", Namespace.pubSub)?
      .all("item", Namespace.pubSub) ?? []
  }

  /// Returns whether a response to `items(of:)` has only some of the items (§6.5.4).
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

/// A notification about a node (XEP-0060 §7.1.2.1, §8.4, §8.5).
package struct XEP0060Event: Hashable, Sendable {
  package let node: String
  /// The published items, in the namespace of events.
  package let items: [Element]
  /// The ids of the deleted items.
  package let retracted: [String]
  /// Indicates whether no item is left: the node was purged, or deleted. `items` and `retracted`
  /// are empty then.
  package let isEmptied: Bool

  /// Reads a notification; `nil` when `message` is something else. The caller checks the sender.
  package init?(_ message: MessageStanza) {
    guard let event = message.element.first("event", XEP0060.events) else { return nil }
    let items = event.first("items", XEP0060.events)
    let change =
      items ?? event.first("purge", XEP0060.events) ?? event.first("delete", XEP0060.events)
    guard let node = change?["node"] else { return nil }
    self.node = node
    self.items = items?.all("item", XEP0060.events) ?? []
    retracted = items?.all("retract", XEP0060.events).compactMap { $0["id"] } ?? []
    isEmptied = items == nil
  }
}

extension StanzaError {
  /// Indicates whether a node has another configuration than the options of a publish demand
  /// (XEP-0060 §7.1.5).
  package var isUnmetPrecondition: Bool {
    condition == .conflict
      && applicationCondition?.is("precondition-not-met", XEP0060.errors) == true
  }

  /// Indicates whether a server takes no options with a publish (XEP-0060 §7.1.5).
  package var lacksPublishOptions: Bool {
    guard condition == .featureNotImplemented, let missing = applicationCondition else {
      return false
    }
    return missing.is("unsupported", XEP0060.errors) && missing["feature"] == "publish-options"
  }
}
