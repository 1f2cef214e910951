/// The ways terminals have of drawing pictures.
nonisolated package enum PictureProtocol: Hashable, Sendable {
  /// kitty, and with it ghostty, WezTerm and Konsole: PNG, by its path or in pieces.
  case kitty
  /// iTerm2: every kind, always in one piece.
  case iterm2
  /// xterm as a VT340, foot, mlterm and others: what a program made of the picture, in its size. The environment never tells.
  case sixel

  /// Whether the terminal that the environment tells of may know kitty's way, and is asked whether it does. Others may show the
  /// question as text: not every terminal swallows an APC string (ECMA-48 §8.3.2) that it does not know.
  package static func mayKnowKitty(environment: [String: String]) -> Bool {
    func value(_ name: String) -> String { environment[name] ?? "" }
    let (name, program) = (value("TERM"), value("TERM_PROGRAM"))
    // tmux and screen take the question for themselves.
    guard value("TMUX").isEmpty, value("STY").isEmpty, !name.hasPrefix("screen"),
      !name.hasPrefix("tmux")
    else { return false }
    let names = [
      "xterm-kitty", "xterm-ghostty", "kitty", "ghostty", "wezterm", "konsole", "contour",
    ]
    if names.contains(where: name.hasPrefix) { return true }
    // Variables outlive the terminal that set them: one that was started from it calls itself something else.
    guard name.hasPrefix("xterm") else { return false }
    if !program.isEmpty {
      return ["ghostty", "WezTerm", "kitty", "rio", "contour", "WarpTerminal"].contains(program)
    }
    return [
      "KITTY_WINDOW_ID", "GHOSTTY_RESOURCES_DIR", "WEZTERM_PANE", "KONSOLE_VERSION",
    ].contains { !value($0).isEmpty }
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
