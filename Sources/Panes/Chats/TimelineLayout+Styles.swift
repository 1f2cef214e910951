import Terminal
import ViewModels

// How the parts of a message look.
extension TimelineLayout {
  func body(of item: TimelineItem) -> StyledText {
    let plain: StyleRole =
      item.isMarked
      ? .searchMatch : item.isDeleted ? .dim : item.kind == .action ? role(of: item) : .plain
    var text = item.spans.isEmpty ? StyledText(item.body, plain) : StyledText()
    for span in item.spans { text.append(span.text, role(of: span.style, plain: plain)) }
    let end = end(of: item)
    if !end.isEmpty { text.append(" ") }
    text.append(end)
    return text
  }

  /// The role of what says most about a part; the rest of what the part is is added to it.
  private func role(of style: MarkupSpan.Style, plain: StyleRole) -> StyleRole {
    let roles: [(MarkupSpan.Style, StyleRole)] = [
      (.link, .link), (.mention, .mention), (.code, .code), (.preformatted, .code),
      (.quote, .quote), (.strike, .strike), (.strong, .strong), (.emphasis, .emphasis),
    ]
    guard let (main, role) = roles.first(where: { style.contains($0.0) }) else { return plain }
    let rest = style.subtracting(main)
    return role.adding(rest.contains(.strong) ? .bold : [])
      .adding(rest.contains(.emphasis) ? .underline : [])
  }
}
