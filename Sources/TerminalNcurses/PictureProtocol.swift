/// The ways terminals have of drawing pictures.
nonisolated package enum PictureProtocol: Hashable, Sendable {
  /// kitty, and with it ghostty, WezTerm and Konsole: PNG, by its path or in pieces.
  case kitty
  /// iTerm2: every kind, always in one piece.
  case iterm2
  /// xterm as a VT340, foot, mlterm and others: what a program made of the picture, in its size. The environment never tells.
  case sixel

  /// Whether a terminal of that name (TERM) may be asked for kitty's way: tmux and screen take the question for themselves, and
  /// rxvt and Eterm show it as text.
  package static func asksByKitty(terminal name: String) -> Bool {
    !["screen", "tmux", "rxvt", "Eterm"].contains { name.hasPrefix($0) }
  }

  /// The way of the terminal that the environment tells of; `nil`: none that is known.
  ///
  /// Inside tmux and screen the variables are those of the terminal around it, which does not get to see what is sent.
  package init?(environment: [String: String]) {
    let name = environment["TERM"] ?? ""
    let program = environment["TERM_PROGRAM"] ?? ""
    guard environment["TMUX"]?.isEmpty != false, environment["STY"]?.isEmpty != false,
      !name.hasPrefix("screen"), !name.hasPrefix("tmux")
    else { return nil }
    if name.hasPrefix("xterm-kitty") || name.hasPrefix("xterm-ghostty")
      || ["ghostty", "WezTerm"].contains(program)
      // A terminal that was started from kitty has kitty's variables, but says that it is another one.
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
