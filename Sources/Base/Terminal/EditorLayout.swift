/// The rows and the cursor position of an edited text.
package struct EditorLayout: Equatable, Sendable {
  /// One row of the text.
  package struct Row: Equatable, Sendable {
    /// The range of the row in the drawn text, in bytes of UTF-8, without the line end.
    package var range: Range<Int>
    /// The text of the row.
    package var text: String
  }

  /// At least one row.
  package let rows: [Row]
  /// The position of the cursor; its row is an index of `rows`.
  package let cursor: Point
  /// The bytes of the drawn text before the cursor.
  package let drawnCursor: Int
  private let spelled: SpelledText

  /// The text as it is drawn.
  package var drawnText: String { spelled.drawn }

  /// - Parameters:
  ///   - cursor: the bytes of UTF-8 before the cursor.
  ///   - width: the columns of a row, of which the last is reserved for the cursor.
  ///   - spelling: returns the replacement that is drawn for a cluster; `nil` draws the cluster
  ///     itself.
  package init(text: String, cursor: Int, width: Int, spelling: ((String) -> String)? = nil) {
    let width = max(2, width)
    spelled = SpelledText(text, room: width - 1, spelling: spelling)
    var text = spelled.drawn
    let cursor = spelled.drawn(cursor)
    drawnCursor = cursor
    (rows, self.cursor) = text.withUTF8 { bytes in
      let wrapped = LineWrap.ranges(in: bytes, width: width - 1)
      var rows: [Row] = []
      rows.reserveCapacity(wrapped.count)
      for (index, range) in wrapped.enumerated() {
        // The blanks at a line break can be edited too, so they belong to the row.
        var end = index + 1 < wrapped.count ? wrapped[index + 1].lowerBound : bytes.count
        if end > range.lowerBound, end <= bytes.count, index + 1 < wrapped.count,
          let lineEnd = Self.lengthOfLineEnd(before: end, in: bytes, from: range.upperBound)
        {
          end -= lineEnd
        }
        let part = range.lowerBound..<max(range.lowerBound, end)
        rows.append(Row(range: part, text: String(decoding: bytes[part], as: UTF8.self)))
      }
      let row = rows.lastIndex { $0.range.lowerBound <= cursor } ?? 0
      let before = String(
        decoding: bytes[
          rows[row].range.lowerBound..<max(rows[row].range.lowerBound, min(cursor, bytes.count))],
        as: UTF8.self)
      // Blanks may extend beyond the edge; the cursor does not.
      return (rows, Point(row: row, column: min(before.columns, width - 1)))
    }
  }

  /// Returns the offset in the text, in bytes, of the cluster at a position; after the end of a
  /// row, the row's end.
  /// - Parameter goesDown: the cursor moves down, so a cluster that begins in the previous row is
  ///   skipped.
  package func offset(at point: Point, goesDown: Bool = false) -> Int {
    let row = rows[min(max(0, point.row), rows.count - 1)]
    let ends = spelled.ends(ofDrawn: drawnOffset(at: point, in: row))
    return goesDown && spelled.drawn(ends.lowerBound) < row.range.lowerBound
      ? ends.upperBound : ends.lowerBound
  }

  /// Returns the offset in the text for an offset in the drawn text, both in bytes.
  package func offset(ofDrawn position: Int) -> Int { spelled.ends(ofDrawn: position).lowerBound }

  private func drawnOffset(at point: Point, in row: Row) -> Int {
    var offset = row.range.lowerBound
    var column = 0
    for character in row.text {
      let next = column + character.columns
      if next > point.column { return offset }
      column = next
      offset += character.utf8.count
    }
    // The end of a row that continues is the start of the next row.
    if offset > row.range.lowerBound, rows.contains(where: { $0.range.lowerBound == offset }),
      let last = row.text.last
    {
      return offset - last.utf8.count
    }
    return offset
  }

  private static func lengthOfLineEnd(
    before end: Int, in bytes: UnsafeBufferPointer<UInt8>, from start: Int
  ) -> Int? {
    if end - 1 >= start, bytes[end - 1] == 0x0A {
      return end - 2 >= start && bytes[end - 2] == 0x0D ? 2 : 1
    }
    if end - 3 >= start, bytes[end - 3] == 0xE2, bytes[end - 2] == 0x80,
      bytes[end - 1] == 0xA8 || bytes[end - 1] == 0xA9
    {
      return 3
    }
    return nil
  }
}
