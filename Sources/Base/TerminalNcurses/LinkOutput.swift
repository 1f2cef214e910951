import Terminal

/// The links on the screen, and the bytes that change them to those of another frame (OSC 8).
///
/// ncurses does not support them: they are written above the cells after it. Its own output has no
/// links, so a row that had some and changes is rewritten as a whole.
nonisolated struct LinkOutput {
  /// The work that gives a frame its links.
  struct Change: Equatable {
    /// The rows whose cells ncurses has to rewrite, which removes their links.
    var stale: [Int] = []
    /// The links that are written above the cells after that.
    var fresh: [PositionedLink] = []
    var isEmpty: Bool { stale.isEmpty && fresh.isEmpty }
  }

  /// The links on the screen, by row.
  private var shown: [Int: [PositionedLink]] = [:]

  /// Changes the links on the screen to `wanted`.
  /// - Parameter hasChanged: returns whether the cells of a row differ from those on the screen.
  mutating func change(to wanted: [PositionedLink], hasChanged: (Int) -> Bool) -> Change {
    guard !wanted.isEmpty || !shown.isEmpty else { return Change() }
    let rows = Dictionary(grouping: wanted, by: \.row)
    var change = Change()
    for row in Set(rows.keys).union(shown.keys).sorted() {
      let (old, new) = (shown[row] ?? [], rows[row] ?? [])
      guard old != new || hasChanged(row) else { continue }
      if !old.isEmpty { change.stale.append(row) }
      change.fresh += new
    }
    shown = rows
    return change
  }

  /// The rows that have links.
  var rows: [Int] { shown.keys.sorted() }

  /// Returns the bytes for a part of a link: its cells once more, between the start and end of the
  /// link, and the cursor restored.
  /// - Parameter cells: the text of the cells with its rendition, and nothing else.
  static func bytes(_ link: PositionedLink, cells: String) -> String {
    "\u{1B}7\u{1B}[\(link.row + 1);\(link.columns.lowerBound + 1)H"
      + "\u{1B}]8;id=n\(link.link.id);\(link.link.address)\u{1B}\\" + cells
      + "\u{1B}]8;;\u{1B}\\\u{1B}8"
  }

  /// Returns whether the terminal of the environment is known to support links. There is no query
  /// for that.
  static func isKnown(environment: [String: String]) -> Bool {
    let name = environment["TERM"] ?? ""
    let program = environment["TERM_PROGRAM"] ?? ""
    if environment["TMUX"]?.isEmpty == false {
      // tmux supports them since version 3.4, which it has in the environment.
      let version = (environment["TERM_PROGRAM_VERSION"] ?? "").split(separator: ".")
      let numbers = version.prefix(2).map { Int($0.prefix { $0.isNumber }) ?? 0 }
      return program == "tmux" && numbers.count == 2
        && (numbers[0], numbers[1]) >= (3, 4)
    }
    guard environment["STY"]?.isEmpty != false, !name.hasPrefix("screen"), !name.hasPrefix("tmux")
    else { return false }
    return ["xterm-kitty", "xterm-ghostty", "foot", "alacritty", "contour", "wezterm"]
      .contains { name.hasPrefix($0) }
      || ["iTerm.app", "WezTerm", "ghostty", "vscode", "mintty", "rio"].contains(program)
      || ["KITTY_WINDOW_ID", "WT_SESSION", "ALACRITTY_WINDOW_ID"].contains {
        environment[$0]?.isEmpty == false
      }
      || Int(environment["VTE_VERSION"] ?? "") ?? 0 >= 5000
  }
}
