/// A search over rooms of many servers (XEP-0433).
package enum XEP0433 {
  package static let namespace = "urn:xmpp:channel-search:0:search"
  private static let parameters = "urn:xmpp:channel-search:0:search-params"
  private static let byPeople = "{urn:xmpp:channel-search:0:order}nusers"

  /// The question for rooms, those with the most people first (§4.3).
  /// - Parameter text: what is looked for in names, descriptions and addresses; empty: all rooms.
  package static func search(_ text: String, at service: JID, _ page: XEP0059Request) -> Element {
    var fields = [
      XEP0004DataForm.Field("FORM_TYPE", kind: .hidden, values: [parameters]),
      XEP0004DataForm.Field("key", kind: .listSingle, values: [byPeople]),
      XEP0004DataForm.Field("types", kind: .listMulti, values: ["xep-0045"]),
    ]
    if text.isEmpty {
      fields.append(XEP0004DataForm.Field("all", kind: .boolean, values: ["true"]))
    } else {
      fields.append(XEP0004DataForm.Field("q", values: [text]))
      for name in ["sinname", "sindescription", "sinaddress"] {
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

  /// A room that was found (§4.3). Its texts are from outside.
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
      guard let jid = item["address"].flatMap({ JID(parsing: $0) }), jid.isBare, jid.local != nil
      else { return nil }
      return Item(
        jid: jid, name: text("name"), description: text("description"),
        language: text("language"),
        people: text("nusers").flatMap { Int($0) }.flatMap { $0 >= 0 ? $0 : nil },
        isOpen: text("is-open").map { $0 == "true" || $0 == "1" },
        isNonAnonymous: text("anonymity-mode") == "none")
    }
    return (items, XEP0059Request.last(in: result))
  }
}
