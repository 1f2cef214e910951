import XML

/// The reactions of a sender to a message, in emoji (XEP-0444).
package struct XEP0444Reactions: Hashable, Sendable {
  package static let namespace = "urn:xmpp:reactions:0"

  /// The message's id: the sender's, or in a room the room's (§3.2).
  package let id: String
  /// All current reactions of the sender, without duplicates; empty when they were removed (§3.1).
  package let emoji: [String]

  package init(id: String, emoji: [String]) {
    self.id = id
    self.emoji = emoji
  }

  /// Reads a `<reactions/>`; `nil` when `element` is something else. Skips texts that are too long
  /// for an emoji or contain blanks.
  package init?(_ element: Element) {
    guard element.is("reactions", Self.namespace), let id = element["id"], !id.isEmpty else {
      return nil
    }
    var emoji: [String] = []
    for reaction in element.all("reaction", Self.namespace) {
      // There may be thousands, and each is compared with those before it.
      guard emoji.count < Self.limit else { break }
      let whole = reaction.text
      guard whole.utf8.count <= Self.textBytes else { continue }
      let text = whole.withoutBlanksAround
      if Self.isFit(text), !emoji.contains(text) { emoji.append(text) }
    }
    self.init(id: id.identifier, emoji: emoji)
  }

  /// Returns whether `text` is valid as a reaction: a few characters without blanks.
  package static func isFit(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.count <= 64 && text.count <= 8
      && text.unicodeScalars.allSatisfy {
        !$0.properties.isWhitespace && $0.properties.generalCategory != .control
      }
  }

  /// Returns the emoji of `text`, which spaces separate: by scalars, because a text that begins
  /// with a combining mark forms one character with the space before it.
  package static func emoji(in text: String) -> [String] {
    text.unicodeScalars.split(separator: " ").map { String($0) }
  }

  /// Returns `emoji` without the variation selector for colour, which some clients write and others
  /// omit.
  package static func bare(_ emoji: String) -> String {
    String(String.UnicodeScalarView(emoji.unicodeScalars.filter { $0.value != 0xFE0F }))
  }

  /// The longest text of a reaction that is examined, with the blanks around it, in bytes.
  private static let textBytes = 1024
  /// The most reactions of a sender that are read.
  package static let limit = 20

  /// The elements of a message with these reactions; a hint makes archives keep it although it has
  /// no text (XEP-0334 §3.4).
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
  /// The sender's reactions to another message (XEP-0444).
  package var reactions: XEP0444Reactions? {
    element.first("reactions", XEP0444Reactions.namespace).flatMap { XEP0444Reactions($0) }
  }
}
