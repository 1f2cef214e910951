import XML

/// Avatars (XEP-0084): the bytes in one node, the metadata in another.
package enum XEP0084 {
  package static let data = "urn:xmpp:avatar:data"
  package static let metadata = "urn:xmpp:avatar:metadata"
  /// The largest picture that is accepted, in bytes.
  package static let limit = 1 << 20

  /// The metadata of a picture (§4.2.1).
  package struct Picture: Hashable, Sendable {
    /// The SHA-1 of its bytes, in hexadecimal.
    package let id: String
    package let byteCount: Int
    package let mediaType: String
    /// The width in pixels.
    package var width: Int?
    package var height: Int?

    package init(
      id: String, byteCount: Int, mediaType: String, width: Int? = nil, height: Int? = nil
    ) {
      self.id = id
      self.byteCount = byteCount
      self.mediaType = mediaType
      self.width = width
      self.height = height
    }

    /// Reads an item of the metadata node: the first picture that is in the data node, if its id is
    /// valid.
    package init?(item: Element?) {
      let all = item?.first("metadata", XEP0084.metadata)?.all("info", XEP0084.metadata) ?? []
      guard let element = all.first(where: { $0["url"] == nil }), let id = element["id"],
        id.utf8.count == 40, id.allSatisfy(\.isHexDigit)
      else { return nil }
      self.id = id.lowercased()
      byteCount = element["bytes"].flatMap { Int($0) } ?? 0
      mediaType = element["type"] ?? ""
      width = element["width"].flatMap { Int($0) }
      height = element["height"].flatMap { Int($0) }
    }

    /// The item for the metadata node.
    package var item: Element {
      var info = Element(
        "info", metadata, ["bytes": String(byteCount), "id": id, "type": mediaType])
      info["width"] = width.map(String.init)
      info["height"] = height.map(String.init)
      return Element(
        "item", Namespace.pubSub, ["id": id], [Element("metadata", metadata, [:], [info])])
    }
  }

  /// Returns the bytes of a picture as an item of the data node (§4.2.2).
  package static func item(_ id: String, base64: String) -> Element {
    Element("item", Namespace.pubSub, ["id": id], [Element("data", data, text: base64)])
  }

  /// Returns a request to `jid` for the bytes of a picture (§3.3).
  package static func request(_ id: String, of jid: JID) -> Element {
    var question = Element(
      "iq", Namespace.client, ["type": "get"],
      [
        Element(
          "pubsub", Namespace.pubSub, [:],
          [
            Element(
              "items", Namespace.pubSub, ["node": data],
              [Element("item", Namespace.pubSub, ["id": id])])
          ])
      ])
    question["to"] = jid.bare.description
    return question
  }

  /// Returns the bytes in a response to `request`, as Base64.
  package static func base64(in answer: Element) -> String? {
    XEP0060.items(in: answer).first?.first("data", data)?.text
  }
}
