// The standard library's normalisation is available only under this name; Foundation's is far
// slower.
@_spi(_Unicode) import Swift

/// Text made safe for a terminal: nothing invisible, no control function, and the same number of
/// columns in every terminal (interface.md, "Widths" and "Control characters").
///
/// Normal form C; variation selectors, joiners, keycaps, skin tones, tags, soft hyphens and all
/// format characters (including the bidi controls) are dropped; unassigned and private characters
/// become U+FFFD; at most three combining marks stay on one base; control characters are made
/// visible. Only the drawn text is changed, never the stored or copied text.
package enum SafeText {
  /// The columns of a tab.
  package static let tabColumns = 4
  /// The number of combining marks kept on one base: ncurses keeps four, and no text needs more
  /// than three.
  static let markLimit = 3
  /// The maximum number of scalars that are normalised at once, more than any cluster of a language
  /// has. Sorting marks takes quadratic time: tens of thousands on one letter would stop the
  /// program.
  private static let normalisedAtOnce = 64

  /// Returns `text` on one line: for terminal titles, names, and the output of commands.
  ///
  /// Line ends become `⏎`; everything else is as `Surface.write` draws it.
  package static func line(_ text: some StringProtocol) -> String {
    safe(text, keepsLineEnds: false)
  }

  /// Returns `text` with its lines, each of them safe: for the output of commands.
  ///
  /// Line ends (LF, CR LF) become LF; a lone CR is made visible.
  package static func block(_ text: some StringProtocol) -> String {
    safe(text, keepsLineEnds: true)
  }

  /// Returns the drawn form of a cluster: glyphs of one or two columns, in order.
  ///
  /// A family of three becomes three glyphs, ESC becomes `^` and `[`, a zero width space none.
  package static func glyphs(of cluster: Character) -> [(glyph: Character, columns: Int)] {
    var glyphs: [(Character, Int)] = []
    forEachGlyph(of: cluster) { glyphs.append(($0, $1)) }
    return glyphs
  }

  /// Returns the columns of a drawn cluster: 0 if nothing of it is drawn.
  static func columns(of cluster: Character) -> Int {
    var columns = 0
    forEachGlyph(of: cluster) { columns += $1 }
    return columns
  }

  private static func safe(_ text: some StringProtocol, keepsLineEnds: Bool) -> String {
    let isSafe = text.withBytes { bytes in
      var isSafe = true
      scanClusters(bytes) { cluster in
        isSafe = cluster.character == nil
        return isSafe
      }
      return isSafe
    }
    if isSafe { return String(text) }
    var result = ""
    text.withBytes { bytes in
      scanClusters(bytes) { cluster in
        if let character = cluster.character {
          if keepsLineEnds, character == "\n" || character == "\r\n" {
            result.append("\n")
          } else {
            forEachGlyph(of: character) { glyph, _ in result.append(glyph) }
          }
        } else {
          result.unicodeScalars.append(cluster.first)
        }
        return true
      }
    }
    return result
  }

  /// Passes the glyphs of a cluster, with their columns, to `emit`.
  /// - Parameter drawsWhole: whether the terminal draws emoji of several characters as one glyph.
  static func forEachGlyph(
    of cluster: Character, drawsWhole: Bool = WideGlyphs.areDrawn, _ emit: (Character, Int) -> Void
  ) {
    if drawsWhole, WideGlyphs.isOne(cluster) { return emit(cluster, 2) }
    var pen = GlyphPen()
    if needsNormalising(cluster) {
      var rest = cluster.unicodeScalars[...]
      while !rest.isEmpty {
        for scalar in String(rest.prefix(normalisedAtOnce))._nfc { pen.add(scalar, emit) }
        rest = rest.dropFirst(normalisedAtOnce)
      }
    } else {
      for scalar in cluster.unicodeScalars { pen.add(scalar, emit) }
    }
    pen.finish(emit)
  }

  /// Returns whether a cluster may not be in normal form C: by a scalar's table entry, or because
  /// of the order of two marks.
  private static func needsNormalising(_ cluster: Character) -> Bool {
    var marks = 0
    for scalar in cluster.unicodeScalars {
      let entry = scalarEntry(scalar.value)
      if entry & ScalarClass.normalises != 0 { return true }
      if entry & 0xF == ScalarClass.mark.rawValue { marks += 1 }
    }
    return marks > 1
  }
}

/// Combines the scalars of one normalised cluster into glyphs.
private struct GlyphPen {
  /// The scalars of the current glyph; the first is the base.
  private var scalars = String.UnicodeScalarView()
  private var columns = 0
  private var marks = 0
  private var isLoneRegional = false
  private var wasCarriageReturn = false

  mutating func add(_ scalar: Unicode.Scalar, _ emit: (Character, Int) -> Void) {
    let kind = ScalarClass(scalar.value)
    if wasCarriageReturn, scalar != "\n" {
      // A lone CR; before LF it is only half of a line end.
      wasCarriageReturn = false
      caret("\r", emit)
    }
    switch kind {
    case .dropped, .breakChance: break
    case .mark:
      if scalars.isEmpty { start("\u{25CC}", columns: 1, emit) }
      guard marks < SafeText.markLimit else { return }
      marks += 1
      scalars.append(scalar)
    case .regional where isLoneRegional:
      scalars.append(scalar)
      columns = 2
      isLoneRegional = false
    case .regional:
      start(scalar, columns: 1, emit)
      isLoneRegional = true
    case .replaced: start("\u{FFFD}", columns: AmbiguousWidth.columns, emit)
    case .control: control(scalar, emit)
    case .narrow, .ambiguous, .spacing, .wide, .wideJoining:
      start(scalar, columns: kind.columns, emit)
    }
  }

  mutating func finish(_ emit: (Character, Int) -> Void) {
    if wasCarriageReturn {
      wasCarriageReturn = false
      caret("\r", emit)
    }
    flush(emit)
  }

  private mutating func start(
    _ scalar: Unicode.Scalar, columns: Int, _ emit: (Character, Int) -> Void
  ) {
    flush(emit)
    scalars.append(scalar)
    self.columns = columns
  }

  private mutating func flush(_ emit: (Character, Int) -> Void) {
    guard let base = scalars.first else { return }
    if isLoneRegional {
      // The width of half a flag differs between terminals; its letter is the same everywhere.
      let letter = Unicode.Scalar(base.value - 0x1F1E6 + 0x41) ?? "?"
      emit(Character(letter), 1)
    } else {
      let text = String(scalars)
      // A mark that does not join its base (a stray jamo) is left out.
      let joins = text.index(after: text.startIndex) == text.endIndex
      emit(joins ? Character(text) : Character(base), columns)
    }
    scalars.removeAll()
    (columns, marks, isLoneRegional) = (0, 0, false)
  }

  private mutating func control(_ scalar: Unicode.Scalar, _ emit: (Character, Int) -> Void) {
    switch scalar {
    case "\t":
      flush(emit)
      for _ in 0..<SafeText.tabColumns { emit(" ", 1) }
    case "\r":
      wasCarriageReturn = true
    case "\n":
      wasCarriageReturn = false
      start("\u{23CE}", columns: 1, emit)
    default:
      if scalar.value < 0x80 { return caret(scalar, emit) }
      start("\u{FFFD}", columns: AmbiguousWidth.columns, emit)
    }
  }

  /// Draws a control character as `^` and a letter, as `cat -v` does.
  private mutating func caret(_ scalar: Unicode.Scalar, _ emit: (Character, Int) -> Void) {
    flush(emit)
    emit("^", 1)
    emit(Character(Unicode.Scalar(UInt8(truncatingIfNeeded: scalar.value ^ 0x40))), 1)
  }
}
