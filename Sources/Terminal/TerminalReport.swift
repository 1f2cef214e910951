/// What a terminal answered when it was asked; it may come late, or never.
package enum TerminalReport: Equatable, Sendable {
  /// The colour behind the text (OSC 11).
  case background(Color)
  /// Where the cursor stands (DSR 6), from 0.
  case cursor(Point)
  /// It draws pictures by the kitty graphics protocol.
  case drawsPictures
  /// It draws sixels (DA1).
  case drawsSixels
  /// It has taken everything that was sent before the question (DSR 5).
  case isReady
  /// How many pixels a cell has (XTWINOPS 16).
  case cell(Size)
  /// It shows a frame as a whole where it is asked to (synchronised output, mode 2026).
  case showsFramesWhole
  /// It can tell keys apart that have always been sent alike (kitty keyboard protocol).
  case tellsKeysApart
  /// It can tell when its colours become dark or light (mode 2031).
  case followsColours
  /// Its colours are dark or light now (`CSI ? 997 n`).
  case colours(Theme.Kind)
}

extension TerminalReport {
  /// Synchronised output.
  static let frameMode = 2026
  /// Telling when the colours become dark or light.
  static let colourMode = 2031
  /// Sixels, among what a terminal tells that it can.
  static let sixelFeature = 4
  /// What a report of dark or light begins with.
  static let colourReport = 997
  /// How large a cell is in pixels, where that can be.
  package static func cell(rows: Int, columns: Int) -> Size? {
    (4...400).contains(rows) && (2...200).contains(columns)
      ? Size(rows: rows, columns: columns) : nil
  }
  /// The number that the question about pictures is asked with; no picture has it.
  package static let pictureQuestion: UInt32 = 0x4E61_7474
}

extension Theme.Kind {
  /// The kind that suits a background colour.
  package init?(background: Color) {
    guard let luminance = background.luminance else { return nil }
    // Above this, black text has more contrast than white (WCAG 2.1).
    self = luminance > 0.179 ? .light : .dark
  }

  /// The kind by COLORFGBG, which rxvt and its friends set: `15;0` is white on black.
  package init?(colorFGBG value: String) {
    guard let field = value.split(separator: ";").last, let index = UInt8(field), index < 16 else {
      return nil
    }
    self = index == 7 || index > 8 ? .light : .dark
  }
}

extension Color {
  /// Reads `rgb:rr/gg/bb` with one to four hexadecimal digits each, as X11 and terminals write it.
  init?(xparse text: some StringProtocol) {
    let parts = text.split(separator: ":", maxSplits: 1)
    guard parts.count == 2, parts[0] == "rgb" || parts[0] == "rgba" else { return nil }
    let levels = parts[1].split(separator: "/").prefix(3).compactMap { field -> UInt8? in
      guard (1...4).contains(field.count), let value = Int(field, radix: 16), value >= 0 else {
        return nil
      }
      return UInt8(value * 255 / ((1 << (4 * field.count)) - 1))
    }
    guard levels.count == 3 else { return nil }
    self = .rgb(levels[0], levels[1], levels[2])
  }
}
