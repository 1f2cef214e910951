import XML

/// A search for rooms on many servers (XEP-0433).
package enum XEP0433 {
  package static let namespace = "urn:xmpp:channel-search:0:search"
  private static let parameters = "urn:xmpp:channel-search:0:search-params"
  private static let errors = "urn:xmpp:channel-search:0:error"

  /// The order of the results (§6.1).
  package enum Order: String, Hashable, Sendable {
    /// Rooms with the most occupants first.
    case people = "{urn:xmpp:channel-search:0:order}nusers"
    case address = "{urn:xmpp:channel-search:0:order}address"
  }

  /// Returns the request for rooms (§4.2.2).
  /// - Parameter text: The text to find in names, descriptions and addresses; empty for all rooms.
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
      // The specification's table and its example have different names for the last of them.
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

  /// A found room (§6.2). Its texts are outside data.
  package struct Item: Hashable, Sendable {
    package let jid: JID
    package let name: String?
    package let description: String?
    package let language: String?
    package let people: Int?
    /// Indicates whether anyone may join; `nil` when unknown.
    package let isOpen: Bool?
    /// Indicates whether all occupants see each other's real JIDs.
    package let isNonAnonymous: Bool
  }

  /// Returns the rooms of a `<result/>` and the id after which the next page begins; omits items
  /// without a room's bare JID.
  package static func items(in answer: Element) -> (items: [Item], last: String?)? {
    guard let result = answer.first("result", namespace) else { return nil }
    let items = result.all("item", namespace).compactMap { item -> Item? in
      func text(_ name: String) -> String? {
        item.first(name, namespace)?.text.withoutBlanksAround.nonEmpty
      }
      guard let jid = item.address("address").jid, jid.isBare, jid.local != nil
      else { return nil }
      // A service may ignore the requested type; if it knows only chat rooms, it may omit the type.
      guard text("service-type").map({ $0 == "xep-0045" }) ?? true else { return nil }
      return Item(
        jid: jid, name: text("name"), description: text("description"),
        language: text("language"),
        people: text("nusers").flatMap { Int($0) }.flatMap { $0 >= 0 ? $0 : nil },
        isOpen: item.first("is-open", namespace).map {
          // The specification's table has a boolean here, its examples an empty element.
          ["", "true", "1"].contains($0.text.withoutBlanksAround)
        },
        isNonAnonymous: text("anonymity-mode").map { $0 != "muc_semianonymous" } ?? false)
    }
    return (items, XEP0059Request.last(in: result))
  }

  /// The reasons of a service to reject a search (§4.2.2).
  package enum Objection: Hashable, Sendable {
    /// The service does not return all that it has.
    case wholeList
    case order
    /// Too many searches. The next request is allowed after `seconds`; `nil` when that is unknown.
    case rate(seconds: Int?)
  }

  /// Reads the reason in `error`.
  /// - Returns: `nil` for any other error.
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
