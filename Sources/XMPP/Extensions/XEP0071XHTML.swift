import BoundedText

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
  /// text.
  package static func text(of element: Element) -> String? {
    guard element.is("html", namespace), let body = element.first("body", content) else {
      return nil
    }
    var text = Lines()
    append(body, to: &text)
    let words = text.result
    return words.isEmpty ? nil : words.bounded
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
      var words = ""
      for child in element.children {
        switch child {
        case .text(let part):
          words += part
          text.append(part)
        case .element(let inner):
          words += inner.text
          append(inner, to: &text)
        }
      }
      text.isPreformatted = isPreformatted
      // The target of a link is part of the message.
      if element.name == "a", let target = element["href"], !words.contains(target) {
        text.append(words.isEmpty ? target : " (\(target))")
      }
    }
    if isBlock { text.endLine() }
  }

  /// Text as a browser lays it out: consecutive blanks and line ends collapse into a blank.
  private struct Lines {
    var isPreformatted = false
    private var text = ""
    private var isBlankDue = false

    var result: String { text.withoutBlanksAround }

    mutating func append(_ part: String) {
      guard !isPreformatted else {
        if isBlankDue { text += " " }
        isBlankDue = false
        text += part
        return
      }
      for scalar in part.unicodeScalars {
        if scalar == " " || scalar == "\n" || scalar == "\t" || scalar == "\r" {
          isBlankDue = !text.isEmpty && text.utf8.last != 0x0A
        } else {
          if isBlankDue { text += " " }
          isBlankDue = false
          text.unicodeScalars.append(scalar)
        }
      }
    }

    mutating func breakLine() {
      isBlankDue = false
      text += "\n"
    }

    mutating func endLine() {
      isBlankDue = false
      if !text.isEmpty, text.utf8.last != 0x0A { text += "\n" }
    }
  }
}

extension MessageStanza {
  /// The plain text of its formatted text; `nil` when it has none.
  package var formattedText: String? {
    element.first("html", XEP0071XHTML.namespace).flatMap { XEP0071XHTML.text(of: $0) }
  }
}
