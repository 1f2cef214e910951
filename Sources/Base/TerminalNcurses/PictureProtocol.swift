/// The protocols of terminals for pictures.
nonisolated package enum PictureProtocol: Hashable, Sendable {
  /// kitty, also ghostty, WezTerm and Konsole: PNG, by its path or in pieces.
  case kitty
  /// iTerm2: every file type, always in one piece.
  case iterm2
  /// xterm as a VT340, foot, mlterm and others: output of a program, in its size. The environment
  /// never shows support.
  case sixel

  /// Returns whether the terminal of the environment may support kitty's protocol, so that it is
  /// queried. Others may show the query as text: not every terminal ignores an unknown APC string
  /// (ECMA-48 §8.3.2).
  package static func mayKnowKitty(environment: [String: String]) -> Bool {
    func value(_ name: String) -> String { environment[name] ?? "" }
    let (name, program) = (value("TERM"), value("TERM_PROGRAM"))
    // tmux and screen intercept the query.
    guard value("TMUX").isEmpty, value("STY").isEmpty, !name.hasPrefix("screen"),
      !name.hasPrefix("tmux")
    else { return false }
    let names = [
      "xterm-kitty", "xterm-ghostty", "kitty", "ghostty", "wezterm", "konsole", "contour",
    ]
    if names.contains(where: name.hasPrefix) { return true }
    // Variables are inherited by other terminals that were started from the one that set them,
    // which have another TERM.
    guard name.hasPrefix("xterm") else { return false }
    if !program.isEmpty {
      return ["ghostty", "WezTerm", "kitty", "rio", "contour", "WarpTerminal"].contains(program)
    }
    return [
      "KITTY_WINDOW_ID", "GHOSTTY_RESOURCES_DIR", "WEZTERM_PANE", "KONSOLE_VERSION",
    ].contains { !value($0).isEmpty }
  }

  /// Creates the protocol of the terminal of the environment; `nil` if none is known.
  ///
  /// Inside tmux and screen the variables are those of the outer terminal, which does not receive
  /// the pictures.
  package init?(environment: [String: String]) {
    let name = environment["TERM"] ?? ""
    let program = environment["TERM_PROGRAM"] ?? ""
    guard environment["TMUX"]?.isEmpty != false, environment["STY"]?.isEmpty != false,
      !name.hasPrefix("screen"), !name.hasPrefix("tmux")
    else { return nil }
    if name.hasPrefix("xterm-kitty") || name.hasPrefix("xterm-ghostty")
      || ["ghostty", "WezTerm"].contains(program)
      // A terminal started from kitty inherits kitty's variables, but identifies itself
      // differently.
      || (environment["KITTY_WINDOW_ID"] != nil && program.isEmpty && name == "xterm-256color")
    {
      self = .kitty
    } else if program == "iTerm.app" || environment["LC_TERMINAL"] == "iTerm2" {
      self = .iterm2
    } else {
      return nil
    }
  }
}
