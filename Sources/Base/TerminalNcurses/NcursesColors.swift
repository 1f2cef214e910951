import CNcurses
import Terminal

/// The colours of the current ncurses screen: converts looks to attribute bits and pair numbers.
///
/// Only this table allocates pairs, from 1 up, so that the used ones are known on a terminal with
/// only 64. No colour function is called without colours: ncurses crashes in `alloc_pair` then.
struct NcursesColors {
  /// The bits of `natter_put` and a pair number.
  struct Drawing: Equatable {
    var bits: CInt
    var pair: CInt
  }

  /// The depth of the terminal.
  let depth: ColorDepth
  private let colors: Int
  private let pairLimit: Int
  private let hasDefaultColors: Bool
  private let hasItalic: Bool
  /// The number of colours, from 0, that are the terminal's own, while all others are red, green
  /// and blue.
  private let ownColors: CInt
  private var theme: Theme
  /// The pairs of the theme, in the order of their allocation, and all others, which only pictures
  /// need.
  private var firstPairs: [PairKey] = []
  private var otherPairs: [PairKey: CInt] = [:]
  /// A theme has some dozens: searching them is faster than creating a dictionary.
  private static let firstPairLimit = 64
  /// The drawings of roles without added attributes, by their raw value.
  private var drawings: [Drawing?] = Array(repeating: nil, count: 256)
  /// The drawings of the other roles, which few messages have.
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

  /// Queries the colours of the current screen.
  /// - Parameters:
  ///   - allowed: `false` for NO_COLOR: attributes only, and not one colour sequence.
  ///   - terminal: TERM.
  ///   - ownDescription: whether ncurses uses a `DirectDescription`; entries of terminfo with
  ///     direct colours have only eight of the terminal's own colours.
  init(theme: Theme, allowed: Bool, terminal: String, ownDescription: Bool = false) {
    self.theme = theme
    ownColors = ownDescription ? 16 : 8
    // screen draws italic as reverse.
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
  /// ncurses returns to pair 0 after each update, so its colours cost no sequences: a typed letter
  /// is 5 bytes instead of 40.
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

  /// Indicates whether pair 0 can have plain text's colours: if only one of them is the terminal's
  /// own, ncurses resets to both of the terminal's.
  private var isPlainPairZero: Bool {
    let plain = theme.look(of: .plain, at: depth)
    return hasDefaultColors
      && (plain.foreground == .terminalDefault) == (plain.background == .terminalDefault)
  }

  /// Changes the theme; existing cells have to be drawn again.
  mutating func setTheme(_ theme: Theme) {
    self.theme = theme
    firstPairs = []
    otherPairs = [:]
    drawings = Array(repeating: nil, count: 256)
    addedDrawings = [:]
    painted = [:]
    setPlainColors()
  }

  /// Returns the drawing of a cell on the current screen.
  mutating func drawing(of cell: Cell) -> Drawing {
    guard let paint = cell.paint, depth != .mono else { return drawing(of: cell.role) }
    let key = PaintKey(paint: paint, role: cell.role)
    if let known = painted[key] { return known }
    var look = theme.look(of: cell.role, at: depth)
    if let index = paint.foreground { look.foreground = shown(index) }
    if let index = paint.background { look.background = shown(index) }
    // Neither bold nor reverse, which would change the given colours.
    let drawing = Drawing(bits: 0, pair: pair(for: look))
    painted[key] = drawing
    return drawing
  }

  /// Returns the nearest of the available colours.
  private func shown(_ index: UInt8) -> Color {
    guard Int(index) >= colors, colors >= 8 else { return .indexed(index) }
    return Color.indexed(index).nearest(in: 0...UInt8(min(colors, 16) - 1))
  }

  /// Returns the drawing of a role on the current screen.
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

  /// Returns the bytes that select the look of a role (SGR, ECMA-48 §8.3.117), for output that
  /// bypasses ncurses.
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

  /// - Parameter plane: 30 for the foreground, 40 for the background.
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
    // Without a free pair, plain text is better than wrong colours.
    guard Int(next) < pairLimit, init_extended_pair(next, key.foreground, key.background) == OK
    else { return 0 }
    if firstPairs.count < Self.firstPairLimit {
      firstPairs.append(key)
    } else {
      otherPairs[key] = next
    }
    return next
  }

  /// Returns ncurses' number of a colour; `otherwise` replaces the terminal's own if -1 is not
  /// supported.
  private func number(of color: Color, otherwise: CInt) -> CInt {
    switch color {
    case .terminalDefault: return hasDefaultColors ? -1 : otherwise
    case .indexed(let index):
      if depth == .truecolor, CInt(index) >= ownColors { return direct(color) }
      return Int(index) < colors ? CInt(index) : otherwise
    case .rgb: return direct(color)
    }
  }

  /// Returns the number of a direct colour. The lowest numbers select the terminal's own colours,
  /// which may be any: black becomes an indistinguishable grey.
  private func direct(_ color: Color) -> CInt {
    guard let (red, green, blue) = color.components else { return 7 }
    let number = CInt(red << 16 | green << 8 | blue)
    return number < ownColors ? 0x01_0101 : number
  }
}
