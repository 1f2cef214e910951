import NatterCore
import Terminal
import Text
import ViewModels

// The styles of the parts of a message.
extension TimelineLayout {
  func body(of item: TimelineItem) -> StyledText {
    // If the matches inside the text are unknown, the whole message is marked as a match.
    let isFound = item.isMarked && !item.hasMarkedMatches
    let plain: StyleRole =
      isFound
      ? .searchMatch : item.isDeleted ? .dim : item.kind == .action ? role(of: item) : .plain
    var text = item.spans.isEmpty ? StyledText(item.body, plain) : StyledText()
    for span in item.spans { text.append(span.text, role(of: span, plain: plain)) }
    let end = end(of: item)
    if !end.isEmpty { text.append(" ") }
    text.append(end)
    return text
  }

  /// The role of each style, the most important first. Stored: the optimizer unrolls a list inside
  /// of the function, and not each time alike, so that two packages of one commit would differ.
  private static let roles: [(MarkupSpan.Style, StyleRole)] = [
    (.link, .link), (.found, .searchMatch), (.mention, .mention), (.code, .code),
    (.preformatted, .code), (.quote, .quote), (.strike, .strike), (.strong, .strong),
    (.emphasis, .emphasis),
  ]

  /// The role of a part: that of a script's mark, if there is one, else that of its style.
  private func role(of span: MarkupSpan, plain: StyleRole) -> StyleRole {
    let style = span.style
    guard let mark = span.decoration else { return role(of: style, plain: plain) }
    let isLink = mark.link != nil
    // A match in a link is still a part of it, which a click opens.
    guard isLink || !style.contains(.found) else { return role(of: style, plain: plain) }
    let base: StyleRole = mark.role == .plain ? .link : mark.role.style
    return base.adding(style.contains(.strong) ? .bold : [])
      .adding(isLink && base != .link ? .underline : [])
      .adding(style.contains(.found) ? .reverse : [])
  }

  /// The role of the most important style of a part; attributes of its other styles are added.
  private func role(of style: MarkupSpan.Style, plain: StyleRole) -> StyleRole {
    guard let (main, role) = Self.roles.first(where: { style.contains($0.0) }) else { return plain }
    let rest = style.subtracting(main)
    return role.adding(rest.contains(.strong) ? .bold : [])
      .adding(rest.contains(.emphasis) ? .underline : [])
      // A match in a link is still a part of it, which a click opens.
      .adding(rest.contains(.found) ? .reverse : [])
  }
}

extension StyleRole {
  /// Indicates whether it marks a match of a search.
  var marksMatch: Bool { base == .searchMatch || isLink && added.contains(.reverse) }

  /// Indicates whether it is that of a link in a message: its own, or one of a script, which is
  /// underlined in the colour of its mark.
  var isLink: Bool {
    base == .link
      || added.contains(.underline)
        && (base == .statusOK || base == .statusWarning || base == .statusError)
  }
}

extension TimelineItem {
  /// Indicates whether matches inside of its text are marked, rather than all of it.
  var hasMarkedMatches: Bool { spans.contains { $0.style.contains(.found) } }

  /// A link in a text: the part that it is on, and the address that it opens.
  struct Link: Equatable {
    var text: String
    var address: String
  }

  /// The addresses that its links open, in order.
  var links: [String] { linkParts.map(\.address) }

  /// The links in its text, in order. One in which a match is marked, or of a script over several
  /// styles, consists of several spans.
  var linkParts: [Link] {
    var links: [Link] = []
    var last: MarkupSpan?
    for span in spans {
      defer { last = span }
      guard span.isLink else { continue }
      let address = span.decoration?.link
      if let last, !links.isEmpty, last.isLink, last.decoration == span.decoration,
        address != nil || last.style.union(span.style).contains(.found)
      {
        links[links.count - 1].text += span.text
        if address == nil { links[links.count - 1].address += span.text }
      } else {
        links.append(Link(text: span.text, address: address ?? span.text))
      }
    }
    return links
  }
}
