/// A part of a message in one style; the markers are part of it and stay visible (XEP-0393 §5).
nonisolated package struct MarkupSpan: Hashable, Sendable {
  /// The style of a part: any combination of these, or none.
  package struct Style: OptionSet, Hashable, Sendable {
    package let rawValue: UInt16
    package init(rawValue: UInt16) { self.rawValue = rawValue }
    package static let plain: Style = []
    package static let strong = Style(rawValue: 1)
    package static let emphasis = Style(rawValue: 2)
    package static let strike = Style(rawValue: 4)
    package static let code = Style(rawValue: 8)
    package static let quote = Style(rawValue: 16)
    /// The markers at the beginning of a quoted line.
    package static let quoteMark = Style(rawValue: 32)
    package static let link = Style(rawValue: 64)
    package static let mention = Style(rawValue: 128)
    /// Whole lines as written, with their fences.
    package static let preformatted = Style(rawValue: 256)
    /// A search hit.
    package static let found = Style(rawValue: 512)
  }

  package var text: String
  package var style: Style
  /// How a script has marked the part; `nil`: not at all.
  package var decoration: Decoration?

  package init(_ text: String, _ style: Style = .plain) {
    self.text = text
    self.style = style
  }
}

/// The parser of message styling (XEP-0393, version 1.1.1), links and mentions.
///
/// Blocks come first, line by line, then spans within a line: no span crosses a line end, and code
/// has no styles.
nonisolated package enum MessageMarkup {
  /// Returns the text in parts of one style each, which concatenated are the text again.
  /// - Parameter mentions: the ranges of the text that mention the user.
  package static func spans(
    of body: String, mentions: [Range<String.Index>] = []
  ) -> [MarkupSpan] {
    guard needsReading(body) || !mentions.isEmpty else { return [MarkupSpan(body)] }
    // No link crosses a line end.
    let links = body.utf8.contains(UInt8(ascii: ":")) ? LinkFinder.ranges(in: body[...]) : []
    let marks = Marks(links: Marks.ends(of: links), mentions: Marks.ends(of: mentions))
    var spans: [MarkupSpan] = []
    // The quote depth of the code block that the line is in, if it is in one.
    var codeDepth: Int?
    var start = body.startIndex
    while start < body.endIndex {
      let end =
        body[start...].firstIndex(where: endsLine).map { body.index(after: $0) }
        ?? body.endIndex
      let line = body[start..<end]
      var mark = quoteMark(of: line, deepest: codeDepth ?? .max)
      // A block ends with the quote around it.
      if let open = codeDepth, mark.depth < open {
        codeDepth = nil
        mark = quoteMark(of: line, deepest: .max)
      }
      let text = line[mark.end...]
      let quote: MarkupSpan.Style = mark.depth > 0 ? .quote : []
      add(line[..<mark.end], [.quote, .quoteMark], to: &spans)
      if text.utf8.starts(with: "```".utf8) {
        add(text, mark.depth > 0 ? [.quote, .code] : .preformatted, to: &spans)
        // The closing fence is alone in its line.
        let ends = codeDepth != nil && text.dropFirst(3).allSatisfy(\.isWhitespace)
        codeDepth = ends ? nil : mark.depth
      } else if codeDepth != nil {
        add(text, mark.depth > 0 ? [.quote, .code] : .preformatted, to: &spans)
      } else {
        var parts: [(Substring, MarkupSpan.Style)] = []
        styled(text, quote, marks: marks, into: &parts, depth: 0)
        for (part, style) in parts { add(part, style, to: &spans) }
      }
      start = end
    }
    return spans
  }

  /// Returns the addresses in a text that can be opened, in order.
  package static func links(in body: String) -> [String] {
    guard body.contains(":") else { return [] }
    return LinkFinder.ranges(in: body[...]).map { String(body[$0]) }
  }

  /// Indicates whether a text is an address that can be opened, and nothing else.
  package static func isLink(_ text: String) -> Bool {
    let ranges = LinkFinder.ranges(in: text[...])
    return ranges.count == 1 && ranges[0] == text.startIndex..<text.endIndex
  }

  // `Character.isNewline` compares characters, which normalizes combining marks.
  private static func endsLine(_ character: Character) -> Bool {
    switch character.unicodeScalars.first?.value {
    case 0x0A, 0x0B, 0x0C, 0x0D, 0x85, 0x2028, 0x2029: true
    default: false
    }
  }

  // Most messages contain no markup.
  private static func needsReading(_ body: String) -> Bool {
    body.utf8.contains { byte in
      switch byte {
      case UInt8(ascii: "*"), UInt8(ascii: "_"), UInt8(ascii: "~"), UInt8(ascii: "`"),
        UInt8(ascii: ">"), UInt8(ascii: ":"):
        true
      default: false
      }
    }
  }

  /// Returns the quote depth of a line, and the end of its markers, each with its space (XEP-0393
  /// §5.1.3).
  private static func quoteMark(of line: Substring, deepest: Int) -> (depth: Int, end: String.Index)
  {
    var (depth, end) = (0, line.startIndex)
    while depth < deepest, end < line.endIndex, line.utf8[end] == UInt8(ascii: ">") {
      depth += 1
      end = line.index(after: end)
      if end < line.endIndex, line.utf8[end] == UInt8(ascii: " ") { end = line.index(after: end) }
    }
    return (depth, end)
  }

  private static func add(
    _ text: Substring, _ style: MarkupSpan.Style, to spans: inout [MarkupSpan]
  ) {
    if text.isEmpty { return }
    if spans.last?.style == style {
      spans[spans.count - 1].text += text
    } else {
      spans.append(MarkupSpan(String(text), style))
    }
  }

  /// The ends of links and mentions by their starts, for a look-up at each character of a text.
  private struct Marks {
    let links: [String.Index: String.Index]
    let mentions: [String.Index: String.Index]

    static func ends(of ranges: [Range<String.Index>]) -> [String.Index: String.Index] {
      Dictionary(
        ranges.map { ($0.lowerBound, $0.upperBound) }, uniquingKeysWith: { first, _ in first })
    }

    func link(at index: String.Index, in text: Substring) -> Range<String.Index>? {
      Self.range(from: index, in: text, links)
    }

    func mention(at index: String.Index, in text: Substring) -> Range<String.Index>? {
      Self.range(from: index, in: text, mentions)
    }

    private static func range(
      from index: String.Index, in text: Substring, _ ends: [String.Index: String.Index]
    ) -> Range<String.Index>? {
      guard let end = ends[index], end <= text.endIndex else { return nil }
      return index..<end
    }
  }

  private static func styled(
    _ text: Substring, _ outer: MarkupSpan.Style, marks: Marks,
    into parts: inout [(Substring, MarkupSpan.Style)], depth: Int
  ) {
    var plainStart = text.startIndex
    var index = text.startIndex
    // If a marker is unclosed, later ones of its kind are as well.
    var unclosed: MarkupSpan.Style = []
    func flush(_ end: String.Index) {
      if plainStart < end { parts.append((text[plainStart..<end], outer)) }
    }
    while index < text.endIndex {
      if let link = marks.link(at: index, in: text) {
        flush(index)
        parts.append((text[link], outer.union(.link)))
        index = link.upperBound
        plainStart = index
        continue
      }
      if let name = marks.mention(at: index, in: text) {
        flush(index)
        parts.append((text[name], outer.union(.mention)))
        index = name.upperBound
        plainStart = index
        continue
      }
      if let style = style(of: text[index]), depth < 4, !unclosed.contains(style),
        isOpening(index, in: text)
      {
        guard let close = closing(of: index, in: text, marks) else {
          unclosed.insert(style)
          index = text.index(after: index)
          continue
        }
        flush(index)
        let after = text.index(after: close)
        let inner = outer.union(style)
        if style == .code {
          parts.append((text[index..<after], inner))
        } else {
          parts.append((text[index...index], inner))
          styled(
            text[text.index(after: index)..<close], inner, marks: marks, into: &parts,
            depth: depth + 1)
          parts.append((text[close..<after], inner))
        }
        index = after
        plainStart = index
        continue
      }
      index = text.index(after: index)
    }
    flush(text.endIndex)
  }

  private static func style(of character: Character) -> MarkupSpan.Style? {
    // Not as characters: a cluster with thousands of marks would be normalized for each comparison.
    guard character.utf8.count == 1 else { return nil }
    return switch character.utf8.first {
    case UInt8(ascii: "*"): .strong
    case UInt8(ascii: "_"): .emphasis
    case UInt8(ascii: "~"): .strike
    case UInt8(ascii: "`"): .code
    default: nil
    }
  }

  /// True at the beginning of the text, after a space or after another opening marker, and not
  /// before a space (XEP-0393 §3.2).
  private static func isOpening(_ index: String.Index, in text: Substring) -> Bool {
    let next = text.index(after: index)
    guard next < text.endIndex, !text[next].isWhitespace,
      style(of: text[next]) != style(of: text[index])
    else {
      return false
    }
    guard index > text.startIndex else { return true }
    let before = text[text.index(before: index)]
    return before.isWhitespace || style(of: before) != nil && before != text[index]
  }

  /// Returns the first marker of the same kind that is not after a space, with text between the
  /// two.
  private static func closing(
    of open: String.Index, in text: Substring, _ marks: Marks
  ) -> String.Index? {
    let marker = style(of: text[open])
    var index = text.index(after: open)
    while index < text.endIndex {
      if let link = marks.link(at: index, in: text) {
        index = link.upperBound
        continue
      }
      if style(of: text[index]) == marker, text.index(after: open) < index,
        !text[text.index(before: index)].isWhitespace
      {
        return index
      }
      index = text.index(after: index)
    }
    return nil
  }
}
