import CNcurses
import Terminal

/// The terminal's colours by terminfo and the environment, without a screen.
package enum TerminalColors {
  /// Returns the colour depth of the terminal.
  /// - Parameter environment: contains TERM and COLORTERM.
  /// - Returns: `nil` for an unknown terminal.
  package static func depth(environment: [String: String]) -> ColorDepth? {
    let colors = natter_terminfo_colors(TerminalEntry(environment: environment).name)
    guard colors > -2 else { return nil }
    let depth = ColorDepth(colors: Int(colors))
    return depth == .indexed && DirectDescription.isWanted(environment: environment)
      ? .truecolor : depth
  }
}
