/// Which message another one answers (XEP-0461).
package struct XEP0461Reply: Hashable, Sendable {
  package static let namespace = "urn:xmpp:reply:0"

  /// What the message is called: its stanza's id, or in a room what the room calls it (§3.1).
  package let id: String
  /// Who wrote it; `nil`: it is not told.
  package let author: JID?

  package init(id: String, author: JID?) {
    self.id = id
    self.author = author
  }

  /// Reads a `<reply/>`; `nil` when `element` is none. An author who cannot be read is not told: the id alone says which it is.
  package init?(_ element: Element) {
    guard element.is("reply", Self.namespace), let id = element["id"], !id.isEmpty else {
      return nil
    }
    self.init(id: id, author: element.address("to").jid)
  }

  package var element: Element {
    guard let author else { return Element("reply", Self.namespace, ["id": id]) }
    return Element("reply", Self.namespace, ["id": id, "to": author.description])
  }

  /// What stands above the answer for clients that do not know better: the text, quoted (XEP-0393 §4.3).
  package static func quotation(of text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).reduce("") { $0 + "> \($1)\n" }
  }

  /// What somebody has quoted so.
  package static func text(ofQuotation quotation: String) -> String {
    quotation.withoutBlanksAround.split(separator: "\n", omittingEmptySubsequences: false)
      .map { line in
        guard line.first == ">" else { return line }
        return line.dropFirst(line.hasPrefix("> ") ? 2 : 1)
      }.joined(separator: "\n")
  }
}

extension MessageStanza {
  /// What it answers (XEP-0461).
  package var reply: XEP0461Reply? {
    element.first("reply", XEP0461Reply.namespace).flatMap { XEP0461Reply($0) }
  }
}
