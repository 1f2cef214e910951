/// One position of a virtual terminal.
package struct TerminalCell: Hashable, Sendable {
  package enum Colour: Hashable, Sendable {
    case standard
    /// 0–7 the basic colours, 8–15 the bright ones, 16–255 xterm's cube and greys.
    case indexed(UInt8)
    case rgb(UInt8, UInt8, UInt8)
  }

  package struct Attributes: OptionSet, Hashable, Sendable {
    package let rawValue: UInt16
    package init(rawValue: UInt16) { self.rawValue = rawValue }
    package static let bold = Attributes(rawValue: 1)
    package static let dim = Attributes(rawValue: 2)
    package static let italic = Attributes(rawValue: 4)
    package static let underline = Attributes(rawValue: 8)
    package static let blink = Attributes(rawValue: 16)
    package static let reverse = Attributes(rawValue: 32)
    package static let invisible = Attributes(rawValue: 64)
    package static let struck = Attributes(rawValue: 128)
  }

  /// The style of a cell, as SGR sets it.
  package struct Style: Hashable, Sendable {
    package var foreground = Colour.standard
    package var background = Colour.standard
    package var attributes: Attributes = []
    package init() {}
  }

  /// The character with what combines with it; a space where nothing was written; empty in the
  /// right half of a wide character.
  package var text = " "
  package var style = Style()
  /// The link that a click opens (OSC 8): its parameters and its address.
  package var link: String?

  package init() {}

  /// The cell without invisible attributes: the foreground colour of a blank, and whether it is
  /// bold, dim or italic.
  package var seen: TerminalCell {
    guard text == " ", style.attributes.isDisjoint(with: .reverse) else { return self }
    var cell = self
    cell.style.foreground = .standard
    cell.style.attributes.subtract([.bold, .dim, .italic])
    return cell
  }
}

/// A position on a virtual terminal; 0, 0 is the top left.
package struct TerminalPoint: Hashable, Sendable {
  package var row: Int
  package var column: Int
  package init(row: Int, column: Int) {
    self.row = row
    self.column = column
  }
}
