/// What somebody feels about a message, in emoji (XEP-0444).
package struct XEP0444Reactions: Hashable, Sendable {
  package static let namespace = "urn:xmpp:reactions:0"

  /// What the message is called: by its sender, or in a room by the room (§3.2).
  package let id: String
  /// All that he feels about it now, each once; none: nothing any more (§3.1).
  package let emoji: [String]

  package init(id: String, emoji: [String]) {
    self.id = id
    self.emoji = emoji
  }

  /// Reads a `<reactions/>`; `nil` when `element` is none. What is no emoji by its length, or has blanks in it, is left out.
  package init?(_ element: Element) {
    guard element.is("reactions", Self.namespace), let id = element["id"], !id.isEmpty else {
      return nil
    }
    var emoji: [String] = []
    for reaction in element.all("reaction", Self.namespace) {
      // There may be thousands, and each is compared with those before it.
      guard emoji.count < Self.limit else { break }
      let text = reaction.text.withoutBlanksAround
      if Self.isFit(text), !emoji.contains(text) { emoji.append(text) }
    }
    self.init(id: id, emoji: emoji)
  }

  /// Whether somebody can react with `text`: a few characters without blanks.
  package static func isFit(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.count <= 64 && text.count <= 8
      && text.unicodeScalars.allSatisfy {
        !$0.properties.isWhitespace && $0.properties.generalCategory != .control
      }
  }

  /// The same without the sign that it is to be drawn in colour, which some write and some do not.
  package static func bare(_ emoji: String) -> String {
    String(String.UnicodeScalarView(emoji.unicodeScalars.filter { $0.value != 0xFE0F }))
  }

  /// As many as one person's are shown.
  private static let limit = 20

  /// What a message has in it, for archives to keep it though it says nothing (XEP-0334 §3.4).
  package var elements: [Element] {
    [
      Element(
        "reactions", Self.namespace, ["id": id],
        emoji.map { Element("reaction", Self.namespace, text: $0) }),
      XEP0334Hints.store,
    ]
  }
}

extension MessageStanza {
  /// What somebody feels about another message (XEP-0444).
  package var reactions: XEP0444Reactions? {
    element.first("reactions", XEP0444Reactions.namespace).flatMap { XEP0444Reactions($0) }
  }
}
