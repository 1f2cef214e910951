import BoundedText
import XML

/// Formatted text (XEP-0071, obsolete): only its plain text is read, for a message without a body.
package enum XEP0071XHTML {
  package static let namespace = "http://jabber.org/protocol/xhtml-im"
  static let content = "http://www.w3.org/1999/xhtml"

  /// Elements that begin and end a line.
  private static let blocks: Set<String> = [
    "blockquote", "body", "dd", "div", "dl", "dt", "h1", "h2", "h3", "h4", "h5", "h6", "li", "ol",
    "p", "pre", "ul",
  ]

  /// Returns the text of an `<html/>`, in lines; `nil` when `element` is something else, or has no
  /// text that is drawn. It may have a body for each language (§4); the first with a text counts.
  package static func text(of element: Element) -> String? {
    guard element.is("html", namespace) else { return nil }
    for body in element.all("body", content) {
      var text = Lines()
      append(body, to: &text)
      let plainText = text.result
      if !plainText.saysNothing { return plainText }
    }
    return nil
  }

  /// Appends the text of `element`. The recursion is bounded: the parser limits how deeply elements
  /// nest.
  private static func append(_ element: Element, to text: inout Lines) {
    let isBlock = blocks.contains(element.name)
    if isBlock { text.endLine() }
    switch element.name {
    case "br": text.breakLine()
    case "img": text.append(element["alt"] ?? element["src"] ?? "")
    default:
      let isPreformatted = text.isPreformatted
      if element.name == "pre" { text.isPreformatted = true }
      let isLink = element.name == "a"
      var plainText = ""
      for child in element.children {
        switch child {
        case .text(let part):
          if isLink { plainText += part }
          text.append(part)
        case .element(let inner):
          if isLink { plainText += inner.text }
          append(inner, to: &text)
        }
      }
      text.isPreformatted = isPreformatted
      // The target of a link is part of the message.
      if isLink, let target = element["href"], !isPart(target, of: plainText) {
        text.append(plainText.isEmpty ? target : " (\(target))")
      }
    }
    if isBlock { text.endLine() }
  }

  /// Returns whether `text` contains `part`, byte by byte, in time that grows with their lengths
  /// (Knuth, Morris and Pratt): both may be as long as a stanza.
  private static func isPart(_ part: String, of text: String) -> Bool {
    let part = Array(part.utf8)
    guard !part.isEmpty else { return true }
    guard part.count <= text.utf8.count else { return false }
    // For each beginning of `part`, how much of its end is a beginning of `part` as well.
    var borders = [0]
    var matched = 0
    func match(_ byte: UInt8) {
      while matched > 0, part[matched] != byte { matched = borders[matched - 1] }
      if part[matched] == byte { matched += 1 }
    }
    for byte in part.dropFirst() {
      match(byte)
      borders.append(matched)
    }
    matched = 0
    for byte in text.utf8 {
      match(byte)
      if matched == part.count { return true }
    }
    return false
  }

  /// Text as a browser lays it out: consecutive blanks and line ends collapse into a blank.
  private struct Lines {
    var isPreformatted = false
    private var bytes: [UInt8] = []
    private var isBlankDue = false

    var result: String { String(bounding: bytes).withoutBlanksAround }

    mutating func append(_ part: String) {
      guard !isPreformatted else {
        appendDueBlank()
        bytes.append(contentsOf: part.utf8)
        return
      }
      var part = part
      part.withUTF8 { part in
        var start = part.startIndex
        for index in part.indices where Self.isBlank(part[index]) {
          appendWord(part[start..<index])
          start = index + 1
          isBlankDue = !bytes.isEmpty && bytes.last != 0x0A
        }
        appendWord(part[start...])
      }
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
      byte == 0x20 || byte == 0x0A || byte == 0x09 || byte == 0x0D
    }

    private mutating func appendWord(_ word: Slice<UnsafeBufferPointer<UInt8>>) {
      guard !word.isEmpty else { return }
      appendDueBlank()
      bytes.append(contentsOf: word)
    }

    private mutating func appendDueBlank() {
      if isBlankDue { bytes.append(0x20) }
      isBlankDue = false
    }

    mutating func breakLine() {
      isBlankDue = false
      bytes.append(0x0A)
    }

    mutating func endLine() {
      isBlankDue = false
      if !bytes.isEmpty, bytes.last != 0x0A { bytes.append(0x0A) }
    }
  }
}

extension MessageStanza {
  /// The plain text of its formatted text; `nil` when it has none.
  package var formattedText: String? {
    element.first("html", XEP0071XHTML.namespace).flatMap { XEP0071XHTML.text(of: $0) }
  }
}
