/// The signs that a terminal draws in other columns than ncurses counts, by their rows: emoji of several characters, and
/// characters of ambiguous width where that is two.
///
/// ncurses takes what the first are made of for signs of their own: in the cells stands the first part of each, or a blank,
/// and the whole is written above it. What ncurses writes itself takes that away, so a row that had one and changes is written anew.
nonisolated struct WideGlyphOutput {
  /// What has to be done so that a frame has its signs.
  struct Change: Equatable {
    /// Rows whose cells ncurses has to write anew.
    var stale: [Int] = []
    /// Rows whose signs are written above the cells then.
    var fresh: [Int] = []
    var isEmpty: Bool { stale.isEmpty && fresh.isEmpty }
  }

  private var shown: Set<Int> = []
  /// Whether there is one on the screen.
  var isEmpty: Bool { shown.isEmpty }

  /// Brings what is shown to what is wanted.
  /// - Parameters:
  ///   - changed: the rows whose cells are to be others than those that are shown, or are written anew.
  ///   - hasSigns: whether a row is to have some.
  mutating func change(to changed: [Int], hasSigns: (Int) -> Bool) -> Change {
    var change = Change()
    for row in changed {
      if shown.remove(row) != nil { change.stale.append(row) }
      if hasSigns(row) {
        shown.insert(row)
        change.fresh.append(row)
      }
    }
    return change
  }

  /// The bytes for a sign, or for several in a row: they, at their place, and the cursor where it was.
  /// - Parameter look: what colours it.
  static func bytes(_ sign: String, row: Int, column: Int, look: String) -> String {
    "\u{1B}7\u{1B}[\(row + 1);\(column + 1)H\(look)\(sign)\u{1B}8"
  }
}
