import CNcurses
import Terminal

// Glyphs above the cells, which the terminal draws with another width than ncurses counts: emoji
// sequences, and characters of ambiguous width.
extension NcursesScreen {
  /// The kind of a glyph that is drawn above the cells.
  enum WideGlyph { case whole, ambiguous }

  /// Returns the work that gives the terminal the wide glyphs of `frame`.
  /// - Parameter rewritten: rows that are written anew for other reasons.
  func wideGlyphChange(to frame: Surface, rewritten: [Int]) -> WideGlyphOutput.Change {
    let hasWideGlyphs = drawsWholeGlyphs || drawsAmbiguousWide
    guard hasWideGlyphs || !wideGlyphs.isEmpty else { return WideGlyphOutput.Change() }
    let rewritten = Set(rewritten)
    let changed = (0..<size.rows).filter { row in
      rewritten.contains(row) || drawn.differs(row: row, from: frame)
    }
    return wideGlyphs.change(to: changed) { row in
      hasWideGlyphs
        && (0..<size.columns).contains { wideGlyph(row: row, column: $0, of: frame) != nil }
    }
  }

  /// The kind of the glyph at a position; `nil` if the cells suffice.
  func wideGlyph(row: Int, column: Int, of frame: Surface) -> WideGlyph? {
    let glyph = frame[row, column].glyph
    guard !isASCIIOnly, glyph.utf8.count > 1, column + 1 < size.columns,
      frame[row, column + 1].isContinuation
    else { return nil }
    if drawsAmbiguousWide, AmbiguousWidth.isOne(glyph) { return .ambiguous }
    return glyph.utf8.count > 4 && WideGlyphs.isOne(glyph) ? .whole : nil
  }

  /// The bytes of the glyphs in rows of `frame` whose cells are shown already.
  func bytes(ofWideGlyphs rows: [Int], in frame: Surface) -> String {
    var bytes = ""
    for row in rows {
      var column = 0
      while column < size.columns {
        let (start, cell) = (column, frame[row, column])
        column += 1
        guard let kind = wideGlyph(row: row, column: start, of: frame) else { continue }
        var text = String(cell.glyph)
        column += 1
        // A word of them goes at once.
        while kind == .ambiguous, column < size.columns, frame[row, column].role == cell.role,
          wideGlyph(row: row, column: column, of: frame) == .ambiguous
        {
          text.append(frame[row, column].glyph)
          column += 2
        }
        bytes += WideGlyphOutput.bytes(
          text, row: row, column: start, look: colors.selection(of: cell.role))
      }
    }
    return bytes
  }

  /// Draws `wideGlyph`, which is ASCII, in each of some columns.
  func fill(
    row: Int, columns: Range<Int>, with wideGlyph: Unicode.Scalar, _ drawing: NcursesColors.Drawing
  ) {
    for column in columns {
      var text: (wchar_t, wchar_t) = (wchar_t(bitPattern: wideGlyph.value), 0)
      withUnsafeMutableBytes(of: &text) { bytes in
        _ = put(row, column, bytes.bindMemory(to: wchar_t.self), drawing)
      }
    }
  }

  /// Draws the first part of a glyph in two columns, for terminals that know less than they said.
  func drawPart(of wideGlyph: Character, row: Int, column: Int, _ drawing: NcursesColors.Drawing) {
    var first = wideGlyph.unicodeScalars.first.map { wchar_t(bitPattern: $0.value) } ?? 0x20
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
