import NatterCore
import Terminal
import Text
import ViewModels

/// One row of the message list: pieces of text at their columns, or a row of a picture.
struct TimelineRow: Equatable {
  /// A row of cells of a picture, from its first column on.
  struct Picture: Equatable {
    let file: PictureFile
    let size: Size
    let row: Int
    let column: Int
  }

  struct Piece: Equatable {
    let column: Int
    let text: String
    let role: StyleRole
    /// The link that the terminal opens on a click.
    var link: Hyperlink?
  }
  var pieces: [Piece] = []
  var picture: Picture?

  /// The same row of a selected message.
  /// - Parameters:
  ///   - mark: the column of the selection glyph, for terminals without colours.
  ///   - keepsMatches: whether pieces that are matches of a search stay marked as such.
  func selected(mark: Int?, keepsMatches: Bool) -> TimelineRow {
    var row = self
    row.pieces = pieces.map {
      let role: StyleRole = keepsMatches && $0.role.marksMatch ? $0.role : .selection
      return Piece(column: $0.column, text: $0.text, role: role, link: $0.link)
    }
    if let mark { row.pieces.insert(Piece(column: mark, text: ">", role: .selection), at: 0) }
    return row
  }
}

/// The layout of items in rows of one width.
struct TimelineLayout: Equatable {
  enum Form: Equatable {
    /// Time and name in columns before the text.
    case columns
    /// The name on its own row, for narrow screens.
    case narrow
    /// Only text from the first column on, so that copying yields the original text.
    case plain
    /// Sender, text, then time: for a screen reader.
    case linear
  }

  let width: Int
  let form: Form
  let timeWidth: Int
  let senderWidth: Int
  let glyphs: Glyphs
  var pictures = PictureSizes(means: .none, failed: [])

  /// The greatest number of rows of a picture.
  static let pictureRows = 10

  func rows(of item: TimelineItem) -> [TimelineRow] {
    let rows = unselectedRows(of: item)
    guard item.isSelected else { return rows }
    return rows.enumerated().map {
      $1.selected(mark: $0 == 0 ? selectionMark : nil, keepsMatches: item.hasMarkedMatches)
    }
  }

  /// The column of the selection glyph: before the time, or after it if the time begins at the
  /// edge. In text-only forms the cursor shows the selection.
  private var selectionMark: Int? {
    switch form {
    case .columns: 0
    case .narrow: senderColumn - 1
    case .plain, .linear: nil
    }
  }

  /// The rows of an item as they are while it is not selected, which give the positions in it.
  func unselectedRows(of item: TimelineItem) -> [TimelineRow] {
    if form == .linear { return linear(item) }
    return switch item.kind {
    case .day: [rule(item.body, glyphs.horizontal, .day)]
    case .new: [rule(item.body, glyphs.newRule, .unreadMarker)]
    case .notice, .hole: centred(item.body, .system)
    case .message, .action:
      switch form {
      case .columns: inColumns(item)
      case .narrow: narrow(item)
      case .plain, .linear: plain(item)
      }
    }
  }

  private func inColumns(_ item: TimelineItem) -> [TimelineRow] {
    let start = textColumn
    var rows = text(item, at: start, width: max(1, width - start - 4), tickAt: width)
    rows += picture(of: item, at: start, width: width - start - 4)
    rows += reactions(to: item, at: start, width: width - start - 4)
    var pieces: [TimelineRow.Piece] = []
    if !item.time.isEmpty, !glyphs.timeIsLast {
      pieces.append(.init(column: 1, text: item.time, role: .time))
    }
    if !item.sender.isEmpty {
      pieces.append(
        .init(
          column: senderColumn,
          text: glyphs.inOrder(
            item.sender.truncated(columns: senderWidth, mark: glyphs.ellipsis)),
          role: role(of: item)))
    }
    rows[0].pieces.insert(contentsOf: pieces, at: 0)
    return rows
  }

  private func narrow(_ item: TimelineItem) -> [TimelineRow] {
    let start = textColumn
    let tick = item.isOwn ? 4 : 0
    var rows = text(item, at: start, width: max(1, width - start - tick), tickAt: width)
    rows += picture(of: item, at: start, width: width - start - 1)
    rows += reactions(to: item, at: start, width: width - start - 1)
    guard !item.sender.isEmpty else { return rows }
    let sender = glyphs.inOrder(
      item.sender.truncated(columns: max(1, width - senderColumn), mark: glyphs.ellipsis))
    var head = [TimelineRow.Piece(column: senderColumn, text: sender, role: role(of: item))]
    if !glyphs.timeIsLast { head.insert(.init(column: 0, text: item.time, role: .time), at: 0) }
    rows.insert(TimelineRow(pieces: head), at: 0)
    return rows
  }

  private func plain(_ item: TimelineItem) -> [TimelineRow] {
    var line = StyledText()
    if !item.time.isEmpty, !glyphs.timeIsLast { line.append(item.time + " ", .time) }
    let head = head(of: item)
    line.append(head, role(of: item))
    // Lines after the first are indented: only lines at the edge begin with a sender.
    line.append(body(of: item).indented(by: head.isEmpty ? "" : " "))
    if item.tick != .none { line.append(" " + item.tickText, role(of: item.tick)) }
    line.append(below(item))
    if let failure = item.failure { line.append("\n" + failure, .tickFailed) }
    return quote(of: item, at: 0, width: width)
      + laidOut(line.wrapped(width: max(1, width)), of: item, at: 0, width: width)
      + reactions(to: item, at: 0, width: width)
  }

  private func linear(_ item: TimelineItem) -> [TimelineRow] {
    var line = StyledText()
    let head = head(of: item)
    line.append(head, role(of: item))
    // Repeat the sender on every line for screen readers.
    line.append(body(of: item).indented(by: head))
    if item.tick != .none { line.append(" " + item.tickText, role(of: item.tick)) }
    if !item.time.isEmpty { line.append("  " + item.time, .time) }
    line.append(below(item))
    if let failure = item.failure { line.append("\n" + failure, .tickFailed) }
    return quote(of: item, at: 0, width: width)
      + laidOut(line.wrapped(width: max(1, width)), of: item, at: 0, width: width)
      + reactions(to: item, at: 0, width: width)
  }

  /// The sender of a line, for forms without columns.
  private func head(of item: TimelineItem) -> String {
    item.author.isEmpty ? "" : item.author + (item.kind == .action ? " " : ": ")
  }

  /// The message that is answered, on one row above the reply.
  private func quote(of item: TimelineItem, at column: Int, width: Int) -> [TimelineRow] {
    guard !item.quote.isEmpty else { return [] }
    let line = ("> " + item.quote).truncated(columns: max(1, width), mark: glyphs.ellipsis)
    return [TimelineRow(pieces: [.init(column: column, text: glyphs.inOrder(line), role: .quote)])]
  }

  /// Moves rows of text to their columns, in visual order: a message from right to left ends at the
  /// right edge.
  private func laidOut(_ rows: [StyledText], of item: TimelineItem, at column: Int, width: Int)
    -> [TimelineRow]
  {
    let turns = glyphs.ordersText && BidiOrder.isRightToLeft(item.body)
    var links = TimelineLinks(of: item)
    return rows.map { row in
      let row = glyphs.ordersText ? BidiOrder.visual(row, isRightToLeft: turns) : row
      var at = column + (turns ? max(0, width - row.columns) : 0)
      return TimelineRow(
        pieces: row.runs.flatMap { run in
          (run.role.isLink ? links.parts(of: run.text) : [(run.text, nil)]).map { text, link in
            defer { at += text.columns }
            return TimelineRow.Piece(column: at, text: text, role: run.role, link: link)
          }
        })
    }
  }

  private func text(_ item: TimelineItem, at column: Int, width: Int, tickAt right: Int)
    -> [TimelineRow]
  {
    var rows = laidOut(lines(of: item, width: width), of: item, at: column, width: width)
    if rows.isEmpty { rows = [TimelineRow()] }
    rows = quote(of: item, at: column, width: width) + rows
    if item.tick != .none {
      rows[0].pieces.append(
        .init(
          column: right - 1 - item.tickText.columns, text: item.tickText,
          role: self.role(of: item.tick)))
    }
    rows += below(item, at: column, width: width)
    if let failure = item.failure {
      rows += LineWrap.rows(of: failure, width: width).map {
        TimelineRow(pieces: [
          .init(column: column, text: glyphs.inOrder(String($0)), role: .tickFailed)
        ])
      }
    }
    return rows
  }

  /// The lines below a text: that there is more of it, and the notes of scripts.
  private func lines(below item: TimelineItem) -> [(text: String, role: StyleRole)] {
    (item.below.more.isEmpty ? [] : [(item.below.more, .reaction)])
      + item.below.notes.map { ($0, .dim) }
  }

  /// The same for forms without columns, where only lines of a sender begin at the edge with a
  /// name.
  private func below(_ item: TimelineItem) -> StyledText {
    var text = StyledText()
    if !item.below.more.isEmpty { text.append("\n" + item.below.more, .reaction) }
    for note in item.below.notes {
      text.append(form == .linear ? "\n(\(note))" : "\n " + note, .dim)
    }
    return text
  }

  private func below(_ item: TimelineItem, at column: Int, width: Int) -> [TimelineRow] {
    lines(below: item).flatMap { line in
      LineWrap.rows(of: line.text, width: max(1, width)).map {
        TimelineRow(pieces: [
          .init(column: column, text: glyphs.inOrder(String($0)), role: line.role)
        ])
      }
    }
  }

  /// The reactions below a message: their numbers, or the senders if it is selected.
  private func reactions(to item: TimelineItem, at column: Int, width: Int) -> [TimelineRow] {
    let text = item.isSelected ? item.reactors : item.reactions
    guard !text.isEmpty else { return [] }
    return LineWrap.rows(of: text, width: max(1, width)).map {
      TimelineRow(pieces: [
        .init(column: column, text: glyphs.inOrder(String($0)), role: .reaction)
      ])
    }
  }

  /// The rows of the picture below a card, with the card's rule at their left.
  private func picture(of item: TimelineItem, at column: Int, width: Int) -> [TimelineRow] {
    guard let file = item.picture,
      let size = pictures.size(
        of: file, within: Size(rows: Self.pictureRows, columns: min(60, width - 2)))
    else { return [] }
    return (0..<size.rows).map { row in
      TimelineRow(
        pieces: [.init(column: column, text: glyphs.vertical, role: .plain)],
        picture: .init(file: file, size: size, row: row, column: column + 2))
    }
  }

  private func rule(_ text: String, _ glyph: String, _ role: StyleRole) -> TimelineRow {
    let inner = max(0, width - 2)
    let label = " " + text.truncated(columns: max(0, inner - 2), mark: glyphs.ellipsis) + " "
    let left = max(0, (inner - label.columns) / 2)
    let right = max(0, inner - label.columns - left)
    let line =
      String(repeating: glyph, count: left) + label + String(repeating: glyph, count: right)
    return TimelineRow(pieces: [.init(column: 1, text: line, role: role)])
  }

  private func centred(_ text: String, _ role: StyleRole) -> [TimelineRow] {
    LineWrap.rows(of: text, width: max(1, width - 2)).map { line in
      TimelineRow(pieces: [
        .init(
          column: max(0, (width - line.columns) / 2), text: glyphs.inOrder(String(line)),
          role: role)
      ])
    }
  }

  func role(of item: TimelineItem) -> StyleRole {
    item.isOwn ? .nickMe : .hue(item.hue)
  }

  private func role(of tick: TimelineItem.Tick) -> StyleRole {
    switch tick {
    case .none, .queued: .tickPending
    case .sent: .tickSent
    case .delivered: .tickDelivered
    case .read: .tickRead
    case .failed: .tickFailed
    }
  }
}

/// Caches how each item wraps in one layout, so that a repaint only copies cells.
struct LineCache {
  private var layout: TimelineLayout?
  private var entries: [TimelineItem.ID: (item: TimelineItem, rows: [TimelineRow])] = [:]

  /// The number of entries above which those of items that have left the list are dropped.
  private static let slack = 600

  mutating func rows(of item: TimelineItem, in layout: TimelineLayout) -> [TimelineRow] {
    if layout != self.layout || entries.count > Self.slack {
      (self.layout, entries) = (layout, [:])
    }
    if let entry = entries[item.id], entry.item == item { return entry.rows }
    let rows = layout.rows(of: item)
    entries[item.id] = (item, rows)
    return rows
  }
}
