import NatterCore

nonisolated extension MarkupSpan {
  /// How scripts have marked a part of a message.
  package struct Decoration: Hashable, Sendable {
    package let role: ScriptTextRole
    /// The address that the part opens; untrusted.
    package let link: String?
    /// Distinguishes marks of a message that follow each other.
    package let number: Int
  }

  /// Indicates whether the part opens an address.
  package var isLink: Bool { style.contains(.link) || decoration?.link != nil }
}

nonisolated extension MessageDecoration {
  /// Returns the parts of a text with the marks in them. Links of the text itself stay what they
  /// are: no script leads them elsewhere. Quote marks and preformatted lines have no marks.
  /// - Parameter parts: the parts of `text`; empty: all of it is plain.
  package func painted(_ parts: [MarkupSpan], of text: String) -> [MarkupSpan] {
    let marks = spans.enumerated().filter { $1.role != .plain || $1.link != nil }
    guard !marks.isEmpty else { return parts }
    var painted: [MarkupSpan] = []
    var rest = marks[...]
    var start = 0
    for part in parts.isEmpty ? [MarkupSpan(text)] : parts {
      let characters = Array(part.text)
      defer { start += characters.count }
      guard part.style.isDisjoint(with: [.link, .quoteMark, .preformatted]) else {
        painted.append(part)
        continue
      }
      var at = 0
      while at < characters.count {
        while let first = rest.first, first.element.range.upperBound <= start + at {
          rest.removeFirst()
        }
        let next = rest.first.map { ($0.element.range.lowerBound - start, $0) }
        let mark = next.flatMap { $0.0 <= at ? $0.1 : nil }
        let end = mark.map { $0.element.range.upperBound - start } ?? next?.0 ?? characters.count
        var piece = MarkupSpan(
          String(characters[at..<min(end, characters.count)]), part.style)
        if let mark {
          piece.decoration = MarkupSpan.Decoration(
            role: mark.element.role, link: mark.element.link, number: mark.offset)
        }
        painted.append(piece)
        at = min(end, characters.count)
      }
    }
    return painted
  }
}
