/// A search over rooms of many servers (XEP-0433).
package enum XEP0433 {
  package static let namespace = "urn:xmpp:channel-search:0:search"
  private static let parameters = "urn:xmpp:channel-search:0:search-params"
  private static let errors = "urn:xmpp:channel-search:0:error"

  /// How what is found is sorted (§6.1).
  package enum Order: String, Hashable, Sendable {
    /// Those with the most people first.
    case people = "{urn:xmpp:channel-search:0:order}nusers"
    case address = "{urn:xmpp:channel-search:0:order}address"
  }

  /// The question for rooms (§4.2.2).
  /// - Parameter text: what is looked for in names, descriptions and addresses; empty: all rooms.
  package static func search(
    _ text: String, at service: JID, by order: Order = .people, _ page: XEP0059Request
  ) -> Element {
    var fields = [
      XEP0004DataForm.Field("FORM_TYPE", kind: .hidden, values: [parameters]),
      XEP0004DataForm.Field("key", kind: .listSingle, values: [order.rawValue]),
      XEP0004DataForm.Field("types", kind: .listMulti, values: ["xep-0045"]),
    ]
    if text.isEmpty {
      fields.append(XEP0004DataForm.Field("all", kind: .boolean, values: ["true"]))
    } else {
      fields.append(XEP0004DataForm.Field("q", values: [text]))
      // The specification's table has the one name of the last of them and its example the other.
      for name in ["sinname", "sindescription", "sinaddress", "sinaddr"] {
        fields.append(XEP0004DataForm.Field(name, kind: .boolean, values: ["true"]))
      }
    }
    return Element(
      "iq", Namespace.client, ["type": "get", "to": service.description],
      [
        Element(
          "search", namespace, [:],
          [page.element, XEP0004DataForm(.submit, fields: fields).element])
      ])
  }

  /// A room that was found (§6.2). Its texts are from outside.
  package struct Item: Hashable, Sendable {
    package let jid: JID
    package let name: String?
    package let description: String?
    package let language: String?
    package let people: Int?
    /// Whether anybody may come in; `nil`: not told.
    package let isOpen: Bool?
    /// Whether everybody inside sees the others' addresses.
    package let isNonAnonymous: Bool
  }

  /// The rooms of a `<result/>` and the id to go on behind; items without a bare address of a room are left out.
  package static func items(in answer: Element) -> (items: [Item], last: String?)? {
    guard let result = answer.first("result", namespace) else { return nil }
    let items = result.all("item", namespace).compactMap { item -> Item? in
      func text(_ name: String) -> String? {
        item.first(name, namespace)?.text.withoutBlanksAround.nonEmpty
      }
      guard let jid = item.address("address").jid, jid.isBare, jid.local != nil
      else { return nil }
      // Who is asked for chat rooms may know of nothing else, and not look at what it was asked for.
      guard text("service-type").map({ $0 == "xep-0045" }) ?? true else { return nil }
      return Item(
        jid: jid, name: text("name"), description: text("description"),
        language: text("language"),
        people: text("nusers").flatMap { Int($0) }.flatMap { $0 >= 0 ? $0 : nil },
        isOpen: item.first("is-open", namespace).map {
          // By the table it holds a truth value, in the examples it is empty.
          ["", "true", "1"].contains($0.text.withoutBlanksAround)
        },
        isNonAnonymous: text("anonymity-mode").map { $0 != "muc_semianonymous" } ?? false)
    }
    return (items, XEP0059Request.last(in: result))
  }

  /// What a search can have against a question (§4.2.2).
  package enum Objection: Hashable, Sendable {
    /// It does not give away all that it knows.
    case wholeList
    case order
    /// It was asked too often. No question is to come for so many seconds; `nil`: it does not say.
    case rate(seconds: Int?)
  }

  /// - Returns: `nil` where it is no such error.
  package static func objection(in error: StanzaError) -> Objection? {
    guard let condition = error.applicationCondition, condition.namespace == errors else {
      return nil
    }
    switch condition.name {
    case "full-set-retrieval-rejected": return .wholeList
    case "invalid-sort-key": return .order
    case "rate-limit":
      return .rate(seconds: condition["retry-after"].flatMap { Int($0) }.map { max(0, $0) })
    default: return nil
    }
  }
}
