import Terminal
import ViewModels

// The layout of two conversations, side by side or stacked.
nonisolated extension ScreenLayout {
  /// The frames of one of two conversations.
  package struct Half: Hashable, Sendable {
    package var header: Rect
    package var timeline: Rect
    package var input: Rect

    /// Returns whether a point of the screen belongs to it.
    package func contains(_ point: Point) -> Bool {
      header.contains(point) || timeline.contains(point) || input.contains(point)
    }
  }

  /// The frames of the panes that a click can reach, the topmost first: details, conversations,
  /// accounts, the contact request, messages, input, and the messages of the other half.
  package var targets: [Rect?] {
    [details, sidebar, accounts, request, timeline, input, other?.timeline]
  }

  /// Screens of this width have room for two conversations.
  package static let splitWidth = 120
  static let splitHeight = 20

  /// Returns whether a screen of `size` has room for two conversations.
  package static func canSplit(_ size: Size) -> Bool {
    size.columns >= splitWidth && size.rows >= splitHeight
  }

  /// Lays out two conversations in `content`; the one with the focus gets the frames of a single
  /// conversation.
  mutating func layOutHalves(
    in content: Rect, preferences: Preferences, headerRows: Int, statusRows: Int, size: Size
  ) {
    var content = content
    let isStacked = preferences.split == .stacked
    let most = isStacked ? max(1, size.rows / 6) : min(6, size.rows / 3)
    var inputs = [preferences.inputRows, preferences.otherInputRows].map { max(1, min($0, most)) }
    if preferences.currentHalf == 1 { inputs.swapAt(0, 1) }
    // The status line serves both, above the lowest inputs.
    let room = max(0, min(statusRows, 2))
    let halves: [Half]
    if isStacked {
      let rows = content.size.rows - 1 - room
      var upper = content
      upper.size.rows = Self.firstPart(of: rows, preferences.splitShare, least: Self.leastRows)
      var lower = content
      lower.origin.row += upper.size.rows + 1
      lower.size.rows = content.size.rows - upper.size.rows - 1
      divider = Rect(
        row: upper.origin.row + upper.size.rows, column: content.origin.column, rows: 1,
        columns: content.size.columns)
      // The lower conversation has no rule below its name: the line between them is enough.
      halves = [
        Self.half(in: upper, headerRows: headerRows, inputRows: inputs[0], gap: 0),
        Self.half(in: lower, headerRows: 1, inputRows: inputs[1], gap: room),
      ]
    } else {
      let columns = Self.firstPart(
        of: content.size.columns, preferences.splitShare, least: Self.leastColumns)
      divider = Rect(
        row: content.origin.row, column: content.origin.column + columns,
        rows: content.size.rows, columns: 1)
      var right = content
      right.origin.column += columns + 1
      right.size.columns -= columns + 1
      content.size.columns = columns
      let gaps = [room, room]
      halves = zip([content, right], zip(inputs, gaps)).map {
        Self.half(in: $0, headerRows: headerRows, inputRows: $1.0, gap: $1.1)
      }
    }
    let own = halves[preferences.currentHalf]
    (header, timeline, input) = (own.header, own.timeline, own.input)
    other = halves[1 - preferences.currentHalf]
    let last = isStacked ? halves[1] : own
    if room > 0 {
      status = Rect(
        row: last.input.origin.row - room, column: last.input.origin.column, rows: room,
        columns: last.input.size.columns)
    }
  }

  // The least size of each of the two.
  private static let leastRows = 5
  private static let leastColumns = 30

  /// The share of `room` rows or columns that the first of two conversations gets.
  private static func firstPart(of room: Int, _ share: Int?, least: Int) -> Int {
    guard let share else { return room / 2 }
    let least = min(least, room / 2)
    return max(least, min(room * share / 1000, room - least - 1))
  }

  /// The share of the first of two conversations, in thousandths, when the line between them is
  /// dragged to `position`; `nil` where there is no line.
  func share(at position: Point) -> Int? {
    guard let divider, let other, let own = timeline else { return nil }
    let content = Rect(
      row: min(other.header.origin.row, header?.origin.row ?? own.origin.row),
      column: min(other.timeline.origin.column, own.origin.column), rows: 1, columns: 1)
    let isUpright = divider.size.columns == 1
    let bottom =
      [
        other.input, input ?? own,
      ].map { $0.origin.row + $0.size.rows }.max() ?? 0
    let room =
      isUpright
      ? own.size.columns + other.timeline.size.columns + 1
      : bottom - content.origin.row - 1 - (status?.size.rows ?? 0)
    let wanted =
      isUpright ? position.column - content.origin.column : position.row - content.origin.row
    // Rounded up, so that the share yields the same columns again.
    return room > 0 ? max(1, min(999, (wanted * 1000 + room - 1) / room)) : nil
  }

  /// - Parameter gap: rows that stay free above the input.
  private static func half(in frame: Rect, headerRows: Int, inputRows: Int, gap: Int) -> Half {
    let (row, column, columns) = (frame.origin.row, frame.origin.column, frame.size.columns)
    let bottom = row + frame.size.rows
    let middle = max(1, frame.size.rows - headerRows - inputRows - gap)
    return Half(
      header: Rect(row: row, column: column, rows: headerRows, columns: columns),
      timeline: Rect(row: row + headerRows, column: column, rows: middle, columns: columns),
      input: Rect(row: bottom - inputRows, column: column, rows: inputRows, columns: columns))
  }
}
