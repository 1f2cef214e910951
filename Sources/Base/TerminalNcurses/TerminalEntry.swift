import CNcurses

/// The terminfo entry that a terminal is driven by: that of its own name, or a more suitable one.
///
/// New terminals have an entry of their own, which is missing on machines reached by ssh; all of
/// them support the functions of xterm. And xterm's own entry has eight colours, although nearly
/// every terminal with that name has 256.
package nonisolated struct TerminalEntry: Hashable, Sendable {
  /// The name of the terminal: TERM.
  package let terminal: String
  /// The name of the used entry.
  package let name: String
  /// Indicates whether the terminal's own entry is missing, so that another one replaces it.
  package let isSubstitute: Bool
  /// The name of the entry that replaces the terminal's own.
  package var substitute: String? { isSubstitute ? name : nil }

  /// - Parameter environment: contains TERM, and the variables about its colours.
  package init(environment: [String: String]) {
    self.init(environment: environment) { name in
      let colors = natter_terminfo_colors(name)
      return colors == -2 ? nil : Int(colors)
    }
  }

  /// - Parameter colors: returns the number of colours of an entry, negative for none; `nil` if
  ///   there is no such entry.
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
    guard (8..<256).contains(count), Self.claims256Colors(environment) else {
      name = terminal
      return
    }
    let family = terminal.prefix { $0 != "-" }
    name =
      ["\(terminal)-256color", "\(family)-256color"].first { colors($0) ?? 0 >= 256 } ?? terminal
  }

  /// The names of unidentified terminals: none of them can show a full screen.
  private static let nameless: Set<String> = ["dumb", "unknown", "network", "dialup", "emacs"]

  /// Returns the replacements of a missing entry, the best first.
  private static func substitutes(for name: String) -> [String] {
    let families = [
      ("tmux", ["tmux-256color", "screen-256color", "tmux", "screen"]),
      ("screen", ["screen-256color", "screen"]),
      ("rxvt", ["rxvt-unicode-256color", "rxvt-256color", "rxvt"]), ("linux", ["linux"]),
    ]
    return (families.first { name.hasPrefix($0.0) }?.1 ?? [])
      + ["xterm-256color", "xterm", "vt100"]
  }

  /// Returns whether the terminal indicates 256 colours or more. GNU screen passes on the variables
  /// of the outer terminal.
  private static func claims256Colors(_ environment: [String: String]) -> Bool {
    let reported = environment["COLORTERM"] ?? ""
    let many =
      ["truecolor", "24bit", "gnome-terminal", "xfce4-terminal", "mate-terminal", "konsole"]
      .contains(reported) || reported.contains("256")
    let isInScreen =
      environment["STY"]?.isEmpty == false || environment["TERM"]?.hasPrefix("screen") == true
    return many && (environment["TMUX"]?.isEmpty == false || !isInScreen)
  }
}
