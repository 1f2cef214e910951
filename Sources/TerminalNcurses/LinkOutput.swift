import Terminal

/// The links that a terminal shows, and the bytes that bring it to show those of another frame (OSC 8).
///
/// ncurses knows nothing of them: they are written above the cells when it is done. What it writes itself has none, so a row
/// that had some and changes is written anew as a whole.
nonisolated struct LinkOutput {
  /// What has to be done so that a frame has its links.
  struct Change: Equatable {
    /// Rows whose cells ncurses has to write anew: that takes their links away.
    var stale: [Int] = []
    /// What is written above the cells then.
    var fresh: [PlacedLink] = []
    var isEmpty: Bool { stale.isEmpty && fresh.isEmpty }
  }

  /// By rows.
  private var shown: [Int: [PlacedLink]] = [:]

  /// Brings what is shown to `wanted`.
  /// - Parameter hasChanged: whether the cells of a row are to be others than those that are shown.
  mutating func change(to wanted: [PlacedLink], hasChanged: (Int) -> Bool) -> Change {
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

  /// The bytes for a part of a link: its cells once more, between the two ends of it, and the cursor where it was.
  /// - Parameter cells: the text of the cells with what colours them; nothing but that may be in it.
  static func bytes(_ placed: PlacedLink, cells: String) -> String {
    "\u{1B}7\u{1B}[\(placed.row + 1);\(placed.columns.lowerBound + 1)H"
      + "\u{1B}]8;id=n\(placed.link.id);\(placed.link.address)\u{1B}\\" + cells
      + "\u{1B}]8;;\u{1B}\\\u{1B}8"
  }

  /// Whether the terminal that the environment tells of is known to open links. None can be asked for it.
  static func isKnown(environment: [String: String]) -> Bool {
    let name = environment["TERM"] ?? ""
    let program = environment["TERM_PROGRAM"] ?? ""
    if environment["TMUX"]?.isEmpty == false {
      // Since tmux 3.4, which tells its version.
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
