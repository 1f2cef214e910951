import XML

/// A reference to the message that another one answers (XEP-0461).
package struct XEP0461Reply: Hashable, Sendable {
  package static let namespace = "urn:xmpp:reply:0"

  /// The id of the answered message: the stanza's id, or in a room the id that the room gave
  /// (§3.1).
  package let id: String
  /// The author of the answered message; `nil` when unknown.
  package let author: JID?

  package init(id: String, author: JID?) {
    self.id = id
    self.author = author
  }

  /// Reads a `<reply/>`; `nil` when `element` is something else. An unreadable author counts as
  /// unknown: the id alone identifies the message.
  package init?(_ element: Element) {
    guard element.is("reply", Self.namespace), let id = element["id"], !id.isEmpty else {
      return nil
    }
    self.init(id: id.identifier, author: element.address("to").jid)
  }

  package var element: Element {
    guard let author else { return Element("reply", Self.namespace, ["id": id]) }
    return Element("reply", Self.namespace, ["id": id, "to": author.description])
  }

  /// Returns the fallback that precedes the reply for clients without support: the answered text as
  /// a quotation (XEP-0393 §4.3).
  package static func quotation(of text: String) -> String {
    var bytes: [UInt8] = []
    for line in text.utf8.split(separator: newline, omittingEmptySubsequences: false) {
      bytes += "> ".utf8
      bytes += line
      bytes.append(newline)
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Returns the text inside such a quotation.
  package static func text(ofQuotation quotation: String) -> String {
    var bytes: [UInt8] = []
    let lines = quotation.withoutBlanksAround.utf8
      .split(separator: newline, omittingEmptySubsequences: false)
    for (index, whole) in lines.enumerated() {
      if index > 0 { bytes.append(newline) }
      var line = whole
      if line.first == UInt8(ascii: ">") {
        line.removeFirst()
        if line.first == UInt8(ascii: " ") { line.removeFirst() }
      }
      bytes += line
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  // By bytes: by characters, a text as long as a stanza takes many times as long.
  private static let newline = UInt8(ascii: "\n")
}

extension MessageStanza {
  /// The reference to the message that it answers (XEP-0461).
  package var reply: XEP0461Reply? {
    element.first("reply", XEP0461Reply.namespace).flatMap { XEP0461Reply($0) }
  }
}
