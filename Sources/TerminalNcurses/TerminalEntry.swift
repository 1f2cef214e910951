import CNcurses

/// Which of terminfo's entries a terminal is driven by: that of its own name, or one that fits it better.
///
/// New terminals bring an entry of their own, which is missing wherever one signs in to over ssh; all of them take what xterm
/// takes. And xterm's own has eight colours, though nearly everything that goes by that name has 256.
package nonisolated struct TerminalEntry: Hashable, Sendable {
  /// What the terminal is called: TERM.
  package let terminal: String
  /// The entry that is used.
  package let name: String
  /// Whether there is none here of the terminal's own name, so that another one stands in.
  package let isSubstitute: Bool
  /// The entry's name where it stands in for the terminal's own.
  package var substitute: String? { isSubstitute ? name : nil }

  /// - Parameter environment: TERM, and what tells of its colours.
  package init(environment: [String: String]) {
    self.init(environment: environment) { name in
      let colors = natter_terminfo_colors(name)
      return colors == -2 ? nil : Int(colors)
    }
  }

  /// - Parameter colors: how many colours an entry has, negative for none; `nil` where there is no such entry.
  init(environment: [String: String], colors: (String) -> Int?) {
    terminal = environment["TERM"] ?? ""
    guard !terminal.isEmpty, !Self.nameless.contains(terminal) else {
      (name, isSubstitute) = (terminal, false)
      return
    }
    guard let count = colors(terminal) else {
      let substitute = Self.substitutes(for: terminal).first { colors($0) != nil }
      (name, isSubstitute) = (substitute ?? terminal, substitute != nil)
      return
    }
    isSubstitute = false
    guard (8..<256).contains(count), Self.tellsOf256Colors(environment) else {
      name = terminal
      return
    }
    let family = terminal.prefix { $0 != "-" }
    name =
      ["\(terminal)-256color", "\(family)-256color"].first { colors($0) ?? 0 >= 256 } ?? terminal
  }

  /// Names that say that nothing is known of the terminal: what shows a full screen is not one of them.
  private static let nameless: Set<String> = ["dumb", "unknown", "network", "dialup", "emacs"]

  /// What may stand in for an entry that is missing, the best first.
  private static func substitutes(for name: String) -> [String] {
    let families = [
      ("tmux", ["tmux-256color", "screen-256color", "tmux", "screen"]),
      ("screen", ["screen-256color", "screen"]),
      ("rxvt", ["rxvt-unicode-256color", "rxvt-256color", "rxvt"]), ("linux", ["linux"]),
    ]
    return (families.first { name.hasPrefix($0.0) }?.1 ?? [])
      + ["xterm-256color", "xterm", "vt100"]
  }

  /// Whether the terminal says that it has 256 colours or more. GNU screen hands on what the terminal around it has said.
  private static func tellsOf256Colors(_ environment: [String: String]) -> Bool {
    let told = environment["COLORTERM"] ?? ""
    let many =
      ["truecolor", "24bit", "gnome-terminal", "xfce4-terminal", "mate-terminal", "konsole"]
      .contains(told) || told.contains("256")
    let isInScreen =
      environment["STY"]?.isEmpty == false || environment["TERM"]?.hasPrefix("screen") == true
    return many && (environment["TMUX"]?.isEmpty == false || !isInScreen)
  }
}
