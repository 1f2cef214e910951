import BoundedText
import XML

/// A post of a social feed: an Atom entry (RFC 4287) in an item (XEP-0277 §3, XEP-0472 §4).
package struct XEP0277Entry: Hashable, Sendable {
  package static let node = "urn:xmpp:microblog:0"
  package static let atom = "http://www.w3.org/2005/Atom"

  /// The item's id.
  package let id: String
  package var author: String?
  package var title: String
  package var text: String
  /// Timestamps of RFC 3339, in the format of XEP-0082.
  package var published: String
  package var updated: String?
  /// A web page.
  package var link: String?
  /// The node where comments on it are published.
  package var comments: NodeAddress?

  /// A node and its service.
  package struct NodeAddress: Hashable, Sendable {
    package let service: JID
    package let node: String
    package init(service: JID, node: String) {
      self.service = service
      self.node = node
    }
  }

  package init(
    id: String, author: String?, title: String, text: String = "", published: String,
    comments: NodeAddress? = nil
  ) {
    self.id = id
    self.author = author
    self.title = title
    self.text = text
    self.published = published
    self.comments = comments
  }

  /// Reads an item of a node or of a notification; `nil` without an entry or an id.
  package init?(item: Element) {
    guard let id = item["id"], !id.isEmpty,
      let entry = item.elements.first(where: { $0.is("entry", Self.atom) })
    else { return nil }
    self.id = id
    author =
      entry.first("author", Self.atom)?.first("name", Self.atom)?.text.withoutBlanksAround.nonEmpty
      ?? item["publisher"]
    title = Self.text(of: entry.first("title", Self.atom))
    let body = Self.text(of: entry.first("content", Self.atom))
    text = body.isEmpty ? Self.text(of: entry.first("summary", Self.atom)) : body
    updated = entry.first("updated", Self.atom)?.text.withoutBlanksAround.nonEmpty
    published =
      entry.first("published", Self.atom)?.text.withoutBlanksAround.nonEmpty ?? updated ?? ""
    for link in entry.all("link", Self.atom) {
      guard let address = link["href"] else { continue }
      switch link["rel"] ?? "alternate" {
      case "alternate" where address.hasPrefix("https://") || address.hasPrefix("http://"):
        self.link = self.link ?? address
      case "replies": comments = comments ?? Self.nodeAddress(address)
      default: break
      }
    }
  }

  /// The longest address of a node that is read, in bytes.
  private static let longestAddress = 16 << 10

  /// Parses `xmpp:SERVICE?;node=NODE` (XEP-0277 §3.4).
  private static func nodeAddress(_ address: String) -> NodeAddress? {
    guard address.utf8.count <= longestAddress, address.hasPrefix("xmpp:"),
      let mark = address.utf8.firstIndex(of: UInt8(ascii: "?")),
      let service = JID(parsing: PercentEncoding.decoded(address[..<mark].dropFirst(5)))
    else { return nil }
    let parts = address[address.index(after: mark)...].split(separator: ";")
    guard
      let node = parts.first(where: { $0.hasPrefix("node=") }).map({
        PercentEncoding.decoded($0.dropFirst(5))
      }),
      !node.isEmpty
    else { return nil }
    return NodeAddress(service: service, node: node)
  }

  /// Returns the readable text of an Atom element, plain or XHTML (RFC 4287 §3.1): paragraphs
  /// become lines.
  private static func text(of element: Element?) -> String {
    guard let element else { return "" }
    let isMarkup = element["type"] == "xhtml"
    var text = ""
    // The parser limits the nesting.
    func read(_ element: Element) {
      for child in element.children {
        switch child {
        case .text(let piece): text += piece
        case .element(let inner):
          read(inner)
          if isMarkup, ["p", "div", "br", "li", "h1", "h2", "h3", "tr"].contains(inner.name) {
            text += "\n"
          }
        }
      }
    }
    read(element)
    return text.bounded.withoutBlanksAround
  }

  /// The item to publish (XEP-0277 §3.2).
  package var item: Element {
    var entry = Element(
      "entry", Self.atom, [:],
      [
        Element("id", Self.atom, text: id),
        Element("title", Self.atom, ["type": "text"], text: title),
        Element("published", Self.atom, text: published),
        Element("updated", Self.atom, text: updated ?? published),
      ])
    if !text.isEmpty {
      entry.append(Element("content", Self.atom, ["type": "text"], text: text))
    }
    if let author {
      entry.append(
        Element(
          "author", Self.atom, [:], [Element("name", Self.atom, text: author)]))
    }
    if let comments {
      entry.append(
        Element(
          "link", Self.atom,
          [
            "rel": "replies", "title": "comments",
            "href": "xmpp:\(comments.service)?;node=\(PercentEncoding.encoded(comments.node))",
          ]))
    }
    return Element("item", Namespace.pubSub, ["id": id], [entry])
  }
}
