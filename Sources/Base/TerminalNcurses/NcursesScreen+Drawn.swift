import Terminal

extension NcursesScreen {
  /// The last frame, as ncurses has it.
  enum Drawn {
    /// Nothing that is known: all must be drawn anew.
    case nothing
    /// A cleared window, which looks like a frame of plain blanks.
    case blanks
    case frame(Surface)

    var isNothing: Bool {
      if case .nothing = self { true } else { false }
    }

    /// The announced line of a row (`Surface.announce`).
    func announced(row: Int) -> Int? {
      if case .frame(let drawn) = self { drawn.announced[row] } else { nil }
    }

    /// The columns that differ in `frame`, first to last; `nil` where all must be drawn.
    func changedColumns(row: Int, to frame: Surface) -> Range<Int>? {
      switch self {
      case .nothing: nil
      case .blanks: frame.usedColumns(row: row)
      case .frame(let drawn): frame.changedColumns(row: row, since: drawn)
      }
    }

    /// Returns whether any cell of a row differs in `frame`, or its announcement does.
    func differs(row: Int, from frame: Surface) -> Bool {
      guard frame.announced[row] == announced(row: row) else { return true }
      return changedColumns(row: row, to: frame).map { !$0.isEmpty } ?? true
    }
  }

  /// The state of ncurses after it has cleared the window: empty cells need no drawing, unless
  /// plain blanks look different from a cleared window.
  var cleared: Drawn {
    colors.drawing(of: .plain) == NcursesColors.Drawing(bits: 0, pair: 0) ? .blanks : .nothing
  }
}
