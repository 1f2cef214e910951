/// The glyphs that a terminal draws in other columns than ncurses counts, by row: emoji of several
/// characters, and characters of ambiguous width where that is two.
///
/// ncurses treats the parts of the former as separate characters: their cells contain the first
/// part of each, or a blank, and the whole glyph is written above. Output of ncurses removes it, so
/// a row that had one and changes is rewritten.
nonisolated struct WideGlyphOutput {
  /// The work that gives a frame its glyphs.
  struct Change: Equatable {
    /// The rows whose cells ncurses has to rewrite.
    var stale: [Int] = []
    /// The rows whose glyphs are written above the cells after that.
    var fresh: [Int] = []
    var isEmpty: Bool { stale.isEmpty && fresh.isEmpty }
  }

  private var shown: Set<Int> = []
  /// Indicates whether there is none on the screen.
  var isEmpty: Bool { shown.isEmpty }

  /// Changes the glyphs on the screen.
  /// - Parameters:
  ///   - changed: the rows whose cells differ from those on the screen, or are rewritten.
  ///   - hasWideGlyphs: returns whether a row has such glyphs.
  mutating func change(to changed: [Int], hasWideGlyphs: (Int) -> Bool) -> Change {
    var change = Change()
    for row in changed {
      if shown.remove(row) != nil { change.stale.append(row) }
      if hasWideGlyphs(row) {
        shown.insert(row)
        change.fresh.append(row)
      }
    }
    return change
  }

  /// Returns the bytes for one or several adjacent glyphs: the text at its position, and the cursor
  /// restored.
  /// - Parameter look: the bytes that select the rendition.
  static func bytes(_ glyph: String, row: Int, column: Int, look: String) -> String {
    "\u{1B}7\u{1B}[\(row + 1);\(column + 1)H\(look)\(glyph)\u{1B}8"
  }
}
