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
    for span in item.spans { text.append(span.text, role(of: span.style, plain: plain)) }
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
  var marksMatch: Bool { base == .searchMatch || base == .link && added.contains(.reverse) }
}

extension TimelineItem {
  /// Indicates whether matches inside of its text are marked, rather than all of it.
  var hasMarkedMatches: Bool { spans.contains { $0.style.contains(.found) } }

  /// The links in its text, in order. One in which a match is marked consists of several spans.
  var links: [String] {
    var links: [String] = []
    var last: MarkupSpan?
    for span in spans {
      defer { last = span }
      guard span.style.contains(.link) else { continue }
      if let last, last.style.contains(.link), !links.isEmpty,
        last.style.union(span.style).contains(.found)
      {
        links[links.count - 1] += span.text
      } else {
        links.append(span.text)
      }
    }
    return links
  }
}
