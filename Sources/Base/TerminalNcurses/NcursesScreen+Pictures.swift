import CNcurses
import Glibc
import Terminal

// Pictures that the terminal draws by itself, above the cells.
extension NcursesScreen {
  /// The protocol that draws pictures; `nil`: none is drawn. Applies from the next flush on.
  package var pictureProtocol: PictureProtocol? {
    get { pictures?.form }
    set {
      guard newValue != pictures?.form else { return }
      takePicturesAway()
      pictures = newValue.map { PictureOutput($0) }
    }
  }

  /// Asks for the kitty graphics protocol; an answer arrives as a `TerminalReport`. Only for
  /// terminals that may know it (`PictureProtocol.mayKnowKitty`), and only before the first frame,
  /// which overwrites the query where it is shown as text.
  package func askForKittyPictures() {
    guard state == .active, modes.isXtermKind, !isInTmux else { return }
    set_term(screen)
    // With this, ncurses sends what brings the alternate screen: the one before is not written on.
    curs_set(0)
    ask(KittyQuestion.text)
  }

  /// Asks whether the terminal draws sixels; an answer arrives as a `TerminalReport`.
  package func askForSixels() {
    if state == .active, modes.isXtermKind { ask("\u{1B}[c") }
  }

  /// Asks how many pixels a cell has; the answer, if there is one, comes as a `TerminalReport`.
  package func askForCell() {
    if state == .active, modes.isXtermKind { ask("\u{1B}[16t") }
  }

  /// The pixels of a cell, where the terminal reports them.
  package var cell: Size? {
    var window = winsize()
    guard ioctl(output, UInt(TIOCGWINSZ), &window) == 0, window.ws_row > 0, window.ws_col > 0 else {
      return nil
    }
    return TerminalReport.cell(
      rows: Int(window.ws_ypixel / window.ws_row), columns: Int(window.ws_xpixel / window.ws_col))
  }

  /// The change to the terminal's pictures for `frame`; `nil` on a terminal without pictures.
  /// - Parameter rewritten: rows that are written anew for other reasons.
  func pictureChange(
    to frame: Surface, isRedrawn: Bool, rewritten: [Int]
  ) -> PictureOutput.Change? {
    pictures?.change(to: frame.pictures, isRedrawn: isRedrawn || drawn.isNothing) { row in
      row >= size.rows || rewritten.contains(row) || drawn.differs(row: row, from: frame)
    }
  }

  /// Has the terminal show none any more.
  func takePicturesAway() {
    let rows = pictures?.rows ?? []
    guard let bytes = pictures?.end(), state == .active else { return }
    send(bytes)
    if pictures?.form == .sixel, !rows.isEmpty {
      // The cells below it are blank, and have to be written.
      set_term(screen)
      for rows in rows { wredrawln(window, CInt(rows.lowerBound), CInt(rows.count)) }
      wrefresh(window)
    }
    if pictures?.form == .iterm2 { drawn = .nothing }
  }
}
