/// A terminal's answer to a query; it may arrive late, or never.
package enum TerminalReport: Equatable, Sendable {
  /// The colour behind the text (OSC 11).
  case background(Color)
  /// The position of the cursor (DSR 6), from 0.
  case cursor(Point)
  /// The terminal draws pictures by the kitty graphics protocol.
  case drawsPictures
  /// The terminal draws sixels (DA1).
  case drawsSixels
  /// The terminal has processed everything that was sent before the query (DSR 5).
  case isReady
  /// The size of a cell in pixels (XTWINOPS 16).
  case cell(Size)
  /// The terminal supports synchronised output (mode 2026).
  case showsFramesWhole
  /// The terminal can distinguish keys with the same legacy encoding (kitty keyboard protocol).
  case distinguishesKeys
  /// The terminal can report changes between dark and light colours (mode 2031).
  case followsColours
  /// The terminal's colours are now dark or light (`CSI ? 997 n`).
  case colours(Theme.Brightness)
}

extension TerminalReport {
  /// Synchronised output.
  static let frameMode = 2026
  /// Reports of changes between dark and light colours.
  static let colourMode = 2031
  /// Sixels, in the feature list of DA1.
  static let sixelFeature = 4
  /// The first parameter of a report of dark or light colours.
  static let colourReport = 997
  /// Returns the size of a cell in pixels, if it is plausible.
  package static func cell(rows: Int, columns: Int) -> Size? {
    (4...400).contains(rows) && (2...200).contains(columns)
      ? Size(rows: rows, columns: columns) : nil
  }
  /// The number of the query about pictures; no picture has it.
  package static let pictureQuestion: UInt32 = 0x4E61_7474
}

extension Theme.Brightness {
  /// Creates the kind that suits a background colour.
  package init?(background: Color) {
    guard let luminance = background.luminance else { return nil }
    // Above this luminance, black text has more contrast than white (WCAG 2.1).
    self = luminance > 0.179 ? .light : .dark
  }

  /// Creates the kind from COLORFGBG, which rxvt and its relatives set: `15;0` is white on black.
  package init?(colorFGBG value: String) {
    guard let field = value.split(separator: ";").last, let index = UInt8(field), index < 16 else {
      return nil
    }
    self = index == 7 || index > 8 ? .light : .dark
  }
}

extension Color {
  /// Parses `rgb:rr/gg/bb` with one to four hexadecimal digits each, as X11 and terminals write it.
  init?(xparse text: some StringProtocol) {
    let parts = text.split(separator: ":", maxSplits: 1)
    guard parts.count == 2, parts[0] == "rgb" || parts[0] == "rgba" else { return nil }
    let levels = parts[1].split(separator: "/").prefix(3).compactMap { field -> UInt8? in
      // `Int` also accepts `+` and `-`.
      guard (1...4).contains(field.count), field.allSatisfy(\.isHexDigit),
        let value = Int(field, radix: 16)
      else { return nil }
      return UInt8(value * 255 / ((1 << (4 * field.count)) - 1))
    }
    guard levels.count == 3 else { return nil }
    self = .rgb(levels[0], levels[1], levels[2])
  }
}
