import CNcurses
import Terminal

/// What terminfo and the environment say of a terminal's colours, without a screen on it.
package enum TerminalColors {
  /// - Parameter environment: TERM and COLORTERM are looked up here.
  /// - Returns: `nil` for a terminal that is not known.
  package static func depth(environment: [String: String]) -> ColorDepth? {
    let colors = natter_terminfo_colors(TerminalEntry(environment: environment).name)
    guard colors > -2 else { return nil }
    let depth = ColorDepth(colors: Int(colors))
    return depth == .indexed && DirectDescription.isWanted(environment: environment)
      ? .truecolor : depth
  }
}
