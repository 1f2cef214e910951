import XML
import XMPP

/// A server with services, as its answers to discovery.
struct ServerOfRooms: Sendable {
  var parts = ["rooms.example.org"]
  /// Name and people of each room, by its local part.
  var rooms: [(local: String, name: String)] = []
  var describes = true
  /// The size of the pages of its list; `nil`: all at once.
  var page: Int?
  /// Indicates whether every page is the first one.
  var loops = false

  func answer(_ iq: Element) throws -> Element {
    let to = iq["to"] ?? ""
    if let query = iq.first("query", Namespace.discoItems) {
      if to == "example.org" {
        return result(parts.map { Element("item", Namespace.discoItems, ["jid": $0]) })
      }
      guard to == "rooms.example.org" else { return result([]) }
      return list(query)
    }
    guard iq.first("query", Namespace.discoInfo) != nil else {
      throw StanzaError(.cancel, .serviceUnavailable)
    }
    if to == "rooms.example.org" {
      return information("conference", "Rooms", ["http://jabber.org/protocol/muc"])
    }
    if to == "search.example.org" {
      return information("store", "Search", ["urn:xmpp:channel-search:0:search"])
    }
    let local = String(to.prefix { $0 != "@" })
    guard describes, let room = rooms.first(where: { $0.local == local }) else {
      throw StanzaError(.cancel, to.contains("@") ? .itemNotFound : .serviceUnavailable)
    }
    return information(
      "conference", room.name.isEmpty ? local : room.name,
      ["http://jabber.org/protocol/muc", "muc_membersonly", "urn:xmpp:mam:2"],
      XEP0004DataForm(
        .result,
        fields: [
          .init("FORM_TYPE", kind: .hidden, values: ["http://jabber.org/protocol/muc#roominfo"]),
          .init("muc#roominfo_description", values: ["about \(local)"]),
          .init("muc#roominfo_occupants", values: ["\(local.count)"]),
          .init("muc#roominfo_lang", values: ["fr"]),
        ]))
  }

  private func list(_ query: Element) -> Element {
    let items = rooms.map {
      Element(
        "item", Namespace.discoItems, ["jid": "\($0.local)@rooms.example.org", "name": $0.name])
    }
    guard let page else { return result(items) }
    let after = query.first("set", Namespace.resultSets)?.first("after", Namespace.resultSets)?.text
    let start =
      loops ? 0 : after.flatMap { id in rooms.firstIndex { $0.local == id } }.map { $0 + 1 } ?? 0
    let part = Array(items.dropFirst(start).prefix(page))
    var set = Element("set", Namespace.resultSets)
    if let last = rooms.dropFirst(start).prefix(page).last {
      set.append(Element("last", Namespace.resultSets, text: last.local))
    }
    return result(part + [set])
  }

  private func result(_ children: [Element]) -> Element {
    Element(
      "iq", Namespace.client, ["type": "result"],
      [Element("query", Namespace.discoItems, [:], children)])
  }

  private func information(
    _ category: String, _ name: String, _ features: Set<String>, _ form: XEP0004DataForm? = nil
  ) -> Element {
    Element(
      "iq", Namespace.client, ["type": "result"],
      [
        XEP0030Discovery(
          identities: [.init(category: category, type: "text", name: name)], features: features,
          forms: form.map { [$0] } ?? []
        ).element()
      ])
  }
}
