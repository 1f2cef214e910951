import CNcurses
import Terminal

// Emoji of several characters that the terminal draws as one sign, above the cells.
extension NcursesScreen {
  /// What has to be done so that the terminal has the signs of `frame`.
  /// - Parameter rewritten: rows that are written anew for other reasons.
  func signChange(to frame: Surface, rewritten: [Int]) -> SignOutput.Change {
    guard drawsWholeSigns || !signs.isEmpty else { return SignOutput.Change() }
    let rewritten = Set(rewritten)
    let changed = (0..<size.rows).filter { row in
      guard let drawn, !rewritten.contains(row), frame.told[row] == drawn.told[row] else {
        return true
      }
      return !frame.changedColumns(row: row, since: drawn).isEmpty
    }
    return signs.change(to: changed) { row in
      drawsWholeSigns && (0..<size.columns).contains { isSign(row: row, column: $0, of: frame) }
    }
  }

  /// Whether the terminal is to draw what begins at a place as one sign.
  func isSign(row: Int, column: Int, of frame: Surface) -> Bool {
    let glyph = frame[row, column].glyph
    return glyph.utf8.count > 4 && column + 1 < size.columns
      && frame[row, column + 1].isContinuation
      && WholeSigns.isOne(glyph)
  }

  /// The bytes for the signs of rows of `frame` whose cells stand there.
  func bytes(ofSigns rows: [Int], in frame: Surface) -> String {
    var bytes = ""
    for row in rows {
      for column in 0..<size.columns where isSign(row: row, column: column, of: frame) {
        let cell = frame[row, column]
        bytes += SignOutput.bytes(
          cell.glyph, row: row, column: column, look: colors.selection(of: cell.role))
      }
    }
    return bytes
  }

  /// Draws the first part of a sign in its two columns: what a terminal shows that knows less than it said.
  func drawPart(of sign: Character, row: Int, column: Int, _ drawing: NcursesColors.Drawing) {
    var first = sign.unicodeScalars.first.map { wchar_t(bitPattern: $0.value) } ?? 0x20
    let columns = Int(natter_width(first))
    if columns != 1 && columns != 2 { first = 0xFFFD }
    var parts = [(first, column)]
    if columns != 2 { parts.append((0x20, column + 1)) }
    for (part, column) in parts {
      var text: (wchar_t, wchar_t) = (part, 0)
      withUnsafeMutableBytes(of: &text) { bytes in
        _ = put(row, column, bytes.bindMemory(to: wchar_t.self), drawing)
      }
    }
  }
}
