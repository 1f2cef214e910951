import CNcurses
import Terminal

/// What terminfo says of a terminal's colours, without a screen on it.
package enum TerminalColors {
  /// - Parameter terminal: the value of TERM.
  /// - Returns: `nil` for a terminal that is not known.
  package static func depth(of terminal: String) -> ColorDepth? {
    let colors = natter_terminfo_colors(terminal)
    return colors == -2 ? nil : ColorDepth(colors: Int(colors))
  }
}
