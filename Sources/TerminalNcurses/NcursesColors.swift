import CNcurses
import Terminal

/// The colours of the current ncurses screen: looks become attribute bits and pair numbers.
///
/// Pairs are handed out by this table alone, from 1 up, so that it is known which are in use on a
/// terminal with only 64. No colour function is called where there are no colours: ncurses crashes in
/// `alloc_pair` then.
struct NcursesColors {
  /// The bits of `natter_put` and a pair number.
  struct Drawing: Equatable {
    var bits: CInt
    var pair: CInt
  }

  /// What the terminal shows.
  let depth: ColorDepth
  private let colors: Int
  private let pairLimit: Int
  private let hasDefaultColors: Bool
  private let hasItalic: Bool
  /// The colours from 0 on that are the terminal's own where the others are red, green and blue.
  private let ownColors: CInt
  private var theme: Theme
  /// Those of the theme, in the order in which they were handed out, and the others, which only pictures need.
  private var firstPairs: [PairKey] = []
  private var otherPairs: [PairKey: CInt] = [:]
  /// A theme has some dozens: to look through them is quicker than a dictionary is made.
  private static let firstPairLimit = 64
  /// Those of roles that nothing is added to, by their raw value.
  private var drawings: [Drawing?] = Array(repeating: nil, count: 256)
  /// Those of the others: few messages have any.
  private var addedDrawings: [StyleRole: Drawing] = [:]
  private var painted: [PaintKey: Drawing] = [:]

  private struct PaintKey: Hashable {
    var paint: Paint
    var role: StyleRole
  }

  private struct PairKey: Hashable {
    var foreground: CInt
    var background: CInt
  }

  /// Asks the current screen for its colours.
  /// - Parameters:
  ///   - allowed: `false` for NO_COLOR: attributes only, and not one colour sequence.
  ///   - terminal: TERM.
  ///   - ownDescription: whether ncurses was given a `DirectDescription`; terminfo's have eight of the terminal's own colours.
  init(theme: Theme, allowed: Bool, terminal: String, ownDescription: Bool = false) {
    self.theme = theme
    ownColors = ownDescription ? 16 : 8
    // screen shows reverse for italic.
    hasItalic = natter_capability("sitm") != nil && !terminal.hasPrefix("screen")
    guard allowed, has_colors(), start_color() == OK else {
      (depth, colors, pairLimit, hasDefaultColors) = (.mono, 0, 0, false)
      return
    }
    hasDefaultColors = use_default_colors() == OK
    colors = Int(natter_colors())
    pairLimit = Int(natter_color_pairs())
    depth = pairLimit > 1 ? ColorDepth(colors: colors) : .mono
    setPlainColors()
  }

  /// Makes the colours of plain text those of pair 0.
  ///
  /// ncurses goes back to pair 0 after each update, so what is in it costs no colour sequences:
  /// a typed letter is 5 bytes instead of 40.
  private func setPlainColors() {
    guard depth != .mono, hasDefaultColors else { return }
    let plain = theme.look(of: .plain, at: depth)
    guard isPlainPairZero else {
      assume_default_colors(-1, -1)
      return
    }
    assume_default_colors(
      number(of: plain.foreground, otherwise: 7), number(of: plain.background, otherwise: 0))
  }

  /// Whether pair 0 can be plain text's: where one of its colours is the terminal's own, ncurses goes back to both of the
  /// terminal's.
  private var isPlainPairZero: Bool {
    let plain = theme.look(of: .plain, at: depth)
    return hasDefaultColors
      && (plain.foreground == .terminalDefault) == (plain.background == .terminalDefault)
  }

  /// Changes the theme; cells drawn before have to be drawn again.
  mutating func setTheme(_ theme: Theme) {
    self.theme = theme
    firstPairs = []
    otherPairs = [:]
    drawings = Array(repeating: nil, count: 256)
    addedDrawings = [:]
    painted = [:]
    setPlainColors()
  }

  /// How to draw a cell on the current screen.
  mutating func drawing(of cell: Cell) -> Drawing {
    guard let paint = cell.paint, depth != .mono else { return drawing(of: cell.role) }
    let key = PaintKey(paint: paint, role: cell.role)
    if let known = painted[key] { return known }
    var look = theme.look(of: cell.role, at: depth)
    if let index = paint.foreground { look.foreground = shown(index) }
    if let index = paint.background { look.background = shown(index) }
    // Neither bold nor reverse: the colours are meant as they are.
    let drawing = Drawing(bits: 0, pair: pair(for: look))
    painted[key] = drawing
    return drawing
  }

  /// The nearest of the colours that there are.
  private func shown(_ index: UInt8) -> Color {
    guard Int(index) >= colors, colors >= 8 else { return .indexed(index) }
    return Color.indexed(index).nearest(in: 0...UInt8(min(colors, 16) - 1))
  }

  /// How to draw a role on the current screen.
  mutating func drawing(of role: StyleRole) -> Drawing {
    if role.added.isEmpty {
      if let known = drawings[Int(role.rawValue)] { return known }
    } else if let known = addedDrawings[role] {
      return known
    }
    let look = theme.look(of: role, at: depth)
    var bits: CInt = 0
    if look.attributes.contains(.bold) { bits |= CInt(NATTER_BOLD) }
    if look.attributes.contains(.dim) { bits |= CInt(NATTER_DIM) }
    if look.attributes.contains(.italic), hasItalic { bits |= CInt(NATTER_ITALIC) }
    if look.attributes.contains(.underline) { bits |= CInt(NATTER_UNDERLINE) }
    if look.attributes.contains(.reverse) { bits |= CInt(NATTER_REVERSE) }
    let drawing = Drawing(bits: bits, pair: depth == .mono ? 0 : pair(for: look))
    if role.added.isEmpty {
      drawings[Int(role.rawValue)] = drawing
    } else {
      addedDrawings[role] = drawing
    }
    return drawing
  }

  /// The bytes that choose the look of a role (SGR, ECMA-48 §8.3.117), for what is written past ncurses.
  func selection(of role: StyleRole) -> String {
    let look = theme.look(of: role, at: depth)
    let attributes: [(Attributes, Int)] = [
      (.bold, 1), (.dim, 2), (.italic, 3), (.underline, 4), (.reverse, 7),
    ]
    var codes = [0]
    for (attribute, code) in attributes where look.attributes.contains(attribute) {
      if attribute != .italic || hasItalic { codes.append(code) }
    }
    if depth != .mono { codes += code(of: look.foreground, 30) + code(of: look.background, 40) }
    return "\u{1B}[" + codes.map(String.init).joined(separator: ";") + "m"
  }

  /// - Parameter plane: 30 for what is written, 40 for what is behind it.
  private func code(of color: Color, _ plane: Int) -> [Int] {
    switch color {
    case .terminalDefault: []
    case .indexed(let index) where index < 8: [plane + Int(index)]
    case .indexed(let index) where index < 16 && colors < 256: [plane + 60 + Int(index) - 8]
    case .indexed(let index): [plane + 8, 5, Int(index)]
    case .rgb(let red, let green, let blue): [plane + 8, 2, Int(red), Int(green), Int(blue)]
    }
  }

  private mutating func pair(for look: Look) -> CInt {
    let key = PairKey(
      foreground: number(of: look.foreground, otherwise: 7),
      background: number(of: look.background, otherwise: 0))
    if isPlainPairZero {
      let plain = theme.look(of: .plain, at: depth)
      if look.foreground == plain.foreground, look.background == plain.background { return 0 }
    }
    if let index = firstPairs.firstIndex(of: key) { return CInt(index + 1) }
    if !otherPairs.isEmpty, let known = otherPairs[key] { return known }
    let next = CInt(firstPairs.count + otherPairs.count + 1)
    // Out of pairs, plain text is better than wrong colours.
    guard Int(next) < pairLimit, init_extended_pair(next, key.foreground, key.background) == OK
    else { return 0 }
    if firstPairs.count < Self.firstPairLimit {
      firstPairs.append(key)
    } else {
      otherPairs[key] = next
    }
    return next
  }

  /// ncurses' number of a colour; `otherwise` stands for the terminal's own where it has no -1.
  private func number(of color: Color, otherwise: CInt) -> CInt {
    switch color {
    case .terminalDefault: return hasDefaultColors ? -1 : otherwise
    case .indexed(let index):
      if depth == .truecolor, CInt(index) >= ownColors { return direct(color) }
      return Int(index) < colors ? CInt(index) : otherwise
    case .rgb: return direct(color)
    }
  }

  /// A colour's number where colours are red, green and blue; the first ones are the terminal's own there, which may be
  /// anything: black is a grey that nobody tells from it.
  private func direct(_ color: Color) -> CInt {
    guard let (red, green, blue) = color.components else { return 7 }
    let number = CInt(red << 16 | green << 8 | blue)
    return number < ownColors ? 0x01_0101 : number
  }
}
