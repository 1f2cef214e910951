import Terminal
import Text
import ViewModels

// Preformatted lines and quotes (interface.md, "Messages").
extension TimelineLayout {
  /// The columns of an item's text.
  func textWidth(of item: TimelineItem) -> Int? {
    switch form {
    case .columns: max(1, width - textColumn - 4)
    case .narrow: max(1, width - textColumn - (item.isOwn ? 4 : 0))
    // Nothing is cut from text that is copied or read aloud.
    case .plain, .linear: nil
    }
  }

  /// The greatest offset of an item's preformatted lines, in columns; 0 where all of them are
  /// visible.
  func mostCodeOffset(of item: TimelineItem) -> Int {
    guard let room = textWidth(of: item) else { return 0 }
    let widest = codeLines(item.spans.filter { $0.style.contains(.preformatted) })
      .reduce(0) { max($0, $1.columns) }
    return widest <= room ? 0 : widest - room + 1
  }

  /// The rows of an item's text: preformatted lines are cut, with a glyph that shows it; all other
  /// text is wrapped, each row of a quote after its quote marks.
  func lines(of item: TimelineItem, width: Int) -> [StyledText] {
    guard item.spans.contains(where: { !$0.style.isDisjoint(with: [.preformatted, .quote]) })
    else { return body(of: item).wrapped(width: width) }
    var rows: [StyledText] = []
    var part = item
    // The notes follow the last of them.
    (part.note, part.time) = ("", "")
    part.spans = []
    var mark = ""
    func endPart() {
      guard !part.spans.isEmpty || !mark.isEmpty else { return }
      // The line ending before a block belongs to the row.
      if let last = part.spans.last, last.text.last?.isNewline == true {
        part.spans[part.spans.count - 1].text.removeLast()
      }
      if part.spans.isEmpty { part.spans = [MarkupSpan("")] }
      rows += body(of: part).wrapped(width: max(1, width - mark.columns)).map {
        StyledText(mark, .quote) + $0
      }
      (part.spans, mark) = ([], "")
    }
    // A block in which matches are marked consists of several spans.
    var code: [MarkupSpan] = []
    func endCode() {
      rows += codeLines(code).map { cut($0, width: width, offset: item.codeOffset) }
      code = []
    }
    for span in item.spans {
      if !code.isEmpty, !span.style.contains(.preformatted) { endCode() }
      if !span.style.isDisjoint(with: [.preformatted, .quoteMark])
        || !mark.isEmpty && !span.style.contains(.quote)
      {
        endPart()
      }
      if span.style.contains(.preformatted) {
        code.append(span)
      } else if span.style.contains(.quoteMark) {
        // With too many quote marks, the text still gets half of the row.
        let shown = span.text.prefix(columns: width / 2)
        mark = String(shown)
        let rest = span.text[shown.endIndex...]
        if !rest.isEmpty { part.spans.append(MarkupSpan(String(rest), .quote)) }
      } else {
        part.spans.append(span)
      }
    }
    endCode()
    if part.spans.isEmpty || !mark.isEmpty {
      endPart()
      let end = end(of: item)
      if !end.isEmpty { rows.append(end) }
    } else {
      (part.note, part.time) = (item.note, item.time)
      rows += body(of: part).wrapped(width: width)
    }
    return rows
  }

  /// Returns the lines of preformatted spans that follow each other.
  private func codeLines(_ spans: [MarkupSpan]) -> [StyledText] {
    var lines = [StyledText()]
    for span in spans {
      let role: StyleRole = span.style.contains(.found) ? .searchMatch : .code
      let parts = span.text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
      for (index, part) in parts.enumerated() {
        if index > 0 { lines.append(StyledText()) }
        lines[lines.count - 1].append(String(part), role)
      }
    }
    if lines.last?.isEmpty == true { lines.removeLast() }
    return lines
  }

  private func cut(_ line: StyledText, width: Int, offset: Int) -> StyledText {
    var rest = line
    var row = StyledText()
    if offset > 0, !line.isEmpty {
      // The glyph for the hidden part replaces the first visible cluster.
      rest = line.dropFirst(line.prefix(columns: offset + 1).text.count)
      row.append("<", .dim)
    }
    let room = width - row.columns
    if rest.columns <= room {
      row.append(rest)
    } else {
      row.append(rest.prefix(columns: max(0, room - 1)))
      row.append(">", .dim)
    }
    return row
  }
}

extension StyledText {
  /// Returns the text without its first `count` characters.
  fileprivate func dropFirst(_ count: Int) -> StyledText {
    var left = count
    return StyledText(
      runs: runs.map { run in
        let dropped = min(left, run.text.count)
        left -= dropped
        return Run(String(run.text.dropFirst(dropped)), run.role)
      })
  }
}
