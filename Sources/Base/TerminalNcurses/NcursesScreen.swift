import CNcurses
import FoundationEssentials
import Glibc
import Terminal

/// The real screen, and the only type in the program that draws with ncurses.
///
/// Frames are built in memory. `flush` passes the changed cells to ncurses, which sends the
/// terminal what it does not show yet. A flush without changes sends nothing.
///
/// At most one per process: ncurses 6.4 resizes and frees the windows of all screens at once.
package final class NcursesScreen: Screen {
  /// The settings that the screen is started with.
  package struct Options {
    /// The styles of the roles.
    package var theme: Theme
    /// Indicates whether clicks and the wheel are reported.
    package var mouse: Bool
    /// The descriptors of the terminal; tests use those of a pseudo-terminal.
    package var input: CInt
    package var output: CInt
    /// TERM and NO_COLOR are looked up here.
    package var environment: [String: String]

    package init(
      theme: Theme, mouse: Bool = true, input: CInt = STDIN_FILENO, output: CInt = STDOUT_FILENO,
      environment: [String: String] = ProcessInfo.processInfo.environment
    ) {
      self.theme = theme
      self.mouse = mouse
      self.input = input
      self.output = output
      self.environment = environment
    }
  }

  /// The terminal's size as of the last `adoptTerminalSize`.
  package private(set) var size: Size
  /// The number of colours that are shown; `.mono` with NO_COLOR.
  package var colorDepth: ColorDepth { colors.depth }
  /// TERM, and terminfo's entry that the terminal is driven by.
  package let entry: TerminalEntry

  let screen: OpaquePointer
  let window: UnsafeMutablePointer<WINDOW>
  private let streams: (output: UnsafeMutablePointer<FILE>, input: UnsafeMutablePointer<FILE>)
  let collector: FrameCollector
  /// Indicates whether a run of blanks is sent as one blank and a count (REP).
  var repeatsBlanks: Bool
  /// The bytes of the frame in progress; `nil`: output goes to the terminal at once.
  var gathered: [UInt8]?
  /// The terminal's rendition and character set after the last frame.
  var known = FrameShortener.Known()
  let output: CInt
  var colors: NcursesColors
  var modes: TerminalModes
  /// The next frame, and what ncurses has of the last one.
  private var frame: Surface
  var drawn = Drawn.nothing
  /// Indicates whether nothing has been put into the next frame yet.
  private var isFrameBlank = true
  private var cursor: Point?
  private var isCursorVisible: Bool?
  private(set) var title: String?
  /// The output of pictures, where the terminal draws any.
  var pictures: PictureOutput?
  private var losesPictures = false
  /// The output of hyperlinks, where the terminal supports them.
  var links: LinkOutput?
  var wideGlyphs = WideGlyphOutput()
  /// The queries that the terminal may still answer.
  var questions = OpenQuestions()
  /// Indicates whether emoji sequences are one glyph on the terminal. Applies to rows that change.
  package var drawsWholeGlyphs = false
  /// Indicates whether the terminal uses two columns for characters of ambiguous width, for which
  /// ncurses counts one. Applies to rows that change.
  package var drawsAmbiguousWide = false
  /// Receives the time to write a frame and its bytes where they are known, except for frames with
  /// pictures: these are large on any line.
  package var onFlush: (Duration, _ bytes: Int) -> Void = { _, _ in }
  let isInTmux: Bool
  /// Indicates whether only ASCII may reach the terminal, because it is not in UTF-8: the rest
  /// becomes a question mark for each column.
  package var isASCIIOnly = false {
    didSet { if isASCIIOnly != oldValue { characterSetChanged() } }
  }
  private(set) var state = ScreenState.active

  enum ScreenState { case active, suspended, stopped }

  /// Takes over the terminal: raw mode, alternate screen, the modes of `TerminalModes`.
  /// - Throws: `ScreenError` if the terminal cannot be used; it is as before then.
  package init(_ options: Options) throws(ScreenError) {
    guard isatty(options.input) == 1, isatty(options.output) == 1 else { throw .notATerminal }
    let entry = TerminalEntry(environment: options.environment)
    let name = entry.name
    let direct = try Self.check(
      terminal: name, output: options.output, environment: options.environment)
    CharacterSet.adopt()
    use_env(true)
    use_tioctl(true)
    guard let streams = Self.streams(input: options.input, output: options.output),
      let screen = natter_new_screen(name, direct, streams.output, streams.input),
      let window = natter_stdscr()
    else { throw .unknownTerminal(name: name) }
    self.screen = screen
    self.window = window
    self.streams = streams
    output = options.output
    collector = FrameCollector(target: fileno(streams.output), terminal: options.output)
    repeatsBlanks = Self.terminalRepeatsBlanks(environment: options.environment)
    self.entry = entry
    isInTmux = options.environment["TMUX"]?.isEmpty == false
    raw()
    noecho()
    nonl()
    keypad(window, true)
    // ncurses must not hold back a frame because a key was pressed.
    typeahead(-1)
    colors = NcursesColors(
      theme: options.theme, allowed: Self.allowsColors(options.environment), terminal: name,
      ownDescription: direct != nil)
    modes = TerminalModes(
      terminal: entry.terminal, hasMouse: natter_capability("kmous") != nil, mouse: options.mouse,
      focus: true, environment: options.environment)
    size = Size(rows: Int(natter_rows(window)), columns: Int(natter_columns(window)))
    frame = Surface(size: size)
    drawn = cleared
    send(modes.on)
  }

  // MARK: Screen

  package func copy(_ surface: Surface, row: Int, column: Int) {
    isFrameBlank = false
    frame.copy(surface, row: row, column: column)
  }

  package func clear() {
    guard !isFrameBlank else { return }
    frame = Surface(size: size)
    isFrameBlank = true
  }

  package func flush(cursor: Point?) {
    self.cursor = cursor
    guard state == .active else { return }
    set_term(screen)
    let linked = linkChange(to: frame)
    let change = pictureChange(to: frame, isRedrawn: losesPictures, rewritten: linked.stale)
    losesPictures = false
    let uncovered = change?.uncovered ?? []
    let signed = wideGlyphChange(to: frame, rewritten: uncovered + linked.stale)
    for row in uncovered + linked.stale + signed.stale { wredrawln(window, CInt(row), 1) }
    // A frame that is seen while it is half drawn flickers; a key's echo is no frame.
    let hasPictures = change.map { !$0.isEmpty } ?? false
    let isLarge =
      drawChanges() > Self.frameSize || hasPictures || !linked.isEmpty || !signed.isEmpty
    let isFrame = isLarge && modes.showsFramesWhole
    let start = ContinuousClock.now
    // On a terminal that wants pauses, ncurses makes them between its writes.
    if modes.isXtermKind { gathered = [] }
    if isFrame { send(TerminalModes.frameBegins) }
    if let change { send(change.before) }
    update()
    if let change { send(change.after) }
    if !linked.fresh.isEmpty { send(bytes(of: linked.fresh, in: frame)) }
    if !signed.fresh.isEmpty { send(bytes(ofWideGlyphs: signed.fresh, in: frame)) }
    if isFrame { send(TerminalModes.frameEnds) }
    let bytes = sendGathered()
    if !hasPictures { onFlush(start.duration(to: .now), bytes) }
  }

  /// Cells, from which on the terminal is asked to show a frame at once.
  private static let frameSize = 40

  package func bell() {
    guard state == .active else { return }
    set_term(screen)
    beep()
  }

  package func setTitle(_ text: String) {
    // Window managers cut longer titles, and a whole message does not belong into a title.
    let safe = SafeText.line(text).truncated(columns: 120)
    guard safe != title else { return }
    title = safe
    if state == .active { send(modes.title(safe)) }
  }

  // MARK: Changes while it runs

  /// Draws everything in another theme at the next flush.
  package func setTheme(_ theme: Theme) {
    set_term(screen)
    colors.setTheme(theme)
    drawn = .nothing
  }

  /// Switches the reporting of clicks and the wheel on or off.
  package func setMouse(_ isOn: Bool) {
    guard isOn != modes.mouse else { return }
    if state == .active { send(modes.mouseOff) }
    modes.mouse = isOn
    if state == .active { send(modes.mouseOn) }
  }

  /// Takes over the terminal's size after SIGWINCH; the next frame is blank until it is drawn.
  ///
  /// ncurses' `KEY_RESIZE` never arrives when Dispatch handles signals, so this is done by hand.
  /// - Returns: `true` if the size has changed.
  @discardableResult
  package func adoptTerminalSize() -> Bool {
    var rows: CInt = 0
    var columns: CInt = 0
    guard natter_window_size(output, &rows, &columns) == 0 else { return false }
    let new = Size(rows: Int(rows), columns: Int(columns))
    guard new != size else { return false }
    set_term(screen)
    resizeterm(rows, columns)
    size = new
    frame = Surface(size: new)
    isFrameBlank = true
    drawn = cleared
    losesPictures = true
    wclear(window)
    return true
  }

  /// Makes the next flush draw every cell, whatever the terminal shows (^L).
  ///
  /// The terminal is also asked for its size; the layout has to read `size` afterwards.
  package func redraw() {
    set_term(screen)
    adoptTerminalSize()
    drawn = .nothing
    clearok(window, true)
  }

  /// Releases the terminal to another program, or the shell.
  ///
  /// Until `resume`, frames are kept but not shown.
  package func suspend() {
    guard state == .active else { return }
    takePicturesAway()
    state = .suspended
    set_term(screen)
    send(modes.off)
    endwin()
    send(emptyRest)
  }

  /// Takes the terminal back and shows the newest frame.
  ///
  /// The size may have changed; the layout has to read it.
  package func resume() {
    guard state == .suspended else { return }
    state = .active
    set_term(screen)
    reset_prog_mode()
    // endwin has switched the keypad off, and only wgetch would switch it on again.
    keypad(window, true)
    send(modes.on)
    if let title { send(modes.title(title)) }
    isCursorVisible = nil
    redraw()
    flush(cursor: cursor)
    // Not before: the frame has brought the alternate screen, which has modes of its own.
    send(modes.keysOn)
  }

  /// Gives the terminal back for good. Nothing is drawn any more after this.
  package func stop() {
    guard state != .stopped else { return }
    set_term(screen)
    if state == .active {
      takePicturesAway()
      send(modes.off)
      endwin()
      send(emptyRest)
    }
    state = .stopped
    delscreen(screen)
    fclose(streams.output)
    fclose(streams.input)
    collector.close()
  }

  // MARK: Drawing

  /// - Returns: how many cells may have changed.
  private func drawChanges() -> Int {
    var changed = 0
    let frame = frame
    for row in 0..<size.rows {
      // A span, not single cells: a wide glyph that goes takes its right half with it.
      var first = 0
      var end = size.columns
      if let number = frame.announced[row], drawn.announced(row: row) != number {
        // ncurses, too, would leave out the cells that are shown already.
        wredrawln(window, CInt(row), 1)
      } else if let changed = drawn.changedColumns(row: row, to: frame) {
        (first, end) = (changed.lowerBound, changed.upperBound)
        if first < end, frame[row, first].isContinuation { first -= 1 }
      }
      changed += max(0, end - first)
      var column = first
      while column < end {
        column += draw(frame, row, column)
      }
    }
    drawn = .frame(frame)
    return changed
  }

  /// Draws the glyph at a position.
  /// - Returns: its columns.
  private func draw(_ frame: Surface, _ row: Int, _ column: Int) -> Int {
    let cell = frame[row, column]
    if let byte = cell.glyph.utf8.first, byte < 0x7F, cell.glyph.utf8.count == 1 {
      // Most cells: one letter, one column.
      let drawing = colors.drawing(of: cell)
      var text: (wchar_t, wchar_t) = (wchar_t(byte), 0)
      withUnsafeBytes(of: &text) { bytes in
        _ = natter_put(
          window, CInt(row), CInt(column), bytes.baseAddress?.assumingMemoryBound(to: wchar_t.self),
          drawing.bits, drawing.pair)
      }
      return 1
    }
    let isWide = column + 1 < size.columns && frame[row, column + 1].isContinuation
    let columns = isWide ? 2 : 1
    let drawing = colors.drawing(of: cell)
    if isASCIIOnly {
      fill(row: row, columns: column..<column + columns, with: "?", drawing)
      return columns
    }
    switch wideGlyph(row: row, column: column, of: frame) {
    case .whole:
      drawPart(of: cell.glyph, row: row, column: column, drawing)
      return columns
    case .ambiguous:
      // The cells behind a character that ncurses counts as one column keep their column.
      fill(row: row, columns: column..<column + columns, with: " ", drawing)
      return columns
    case nil: break
    }
    var text: (wchar_t, wchar_t, wchar_t, wchar_t, wchar_t, wchar_t) = (0, 0, 0, 0, 0, 0)
    let isDrawn = withUnsafeMutableBytes(of: &text) { bytes in
      let scalars = bytes.bindMemory(to: wchar_t.self)
      var count = 0
      // Four marks are all that ncurses keeps (CCHARW_MAX).
      for scalar in cell.glyph.unicodeScalars.prefix(5) {
        scalars[count] = wchar_t(bitPattern: scalar.value)
        count += 1
      }
      if count == 2, isWide, natter_width(scalars[0]) == 1, natter_width(scalars[1]) == 1 {
        // A flag: two halves of one column each, which the terminal puts together.
        let right = scalars[1]
        scalars[1] = 0
        guard put(row, column, scalars, drawing) else { return false }
        scalars[0] = right
        return put(row, column + 1, scalars, drawing)
      }
      // Where this machine's C library knows a character less, it would shift the row.
      guard Int(natter_width(scalars[0])) == columns else { return false }
      return put(row, column, scalars, drawing)
    }
    if !isDrawn {
      for offset in 0..<columns {
        let substitute: wchar_t = drawsAmbiguousWide ? 0x3F : 0xFFFD
        var wideGlyph: (wchar_t, wchar_t) = (offset == 0 ? substitute : 0x20, 0)
        withUnsafeMutableBytes(of: &wideGlyph) { bytes in
          _ = put(row, column + offset, bytes.bindMemory(to: wchar_t.self), drawing)
        }
      }
    }
    return columns
  }

  func put(
    _ row: Int, _ column: Int, _ text: UnsafeMutableBufferPointer<wchar_t>,
    _ drawing: NcursesColors.Drawing
  ) -> Bool {
    natter_put(window, CInt(row), CInt(column), text.baseAddress, drawing.bits, drawing.pair) == OK
  }

  func showCursor() {
    if let cursor, Rect(origin: Point(row: 0, column: 0), size: size).contains(cursor) {
      wmove(window, CInt(cursor.row), CInt(cursor.column))
    }
    let isVisible = cursor != nil
    if isVisible != isCursorVisible {
      isCursorVisible = isVisible
      // ERR on terminals that cannot hide it, which does not matter.
      curs_set(isVisible ? 1 : 0)
    }
  }
}
