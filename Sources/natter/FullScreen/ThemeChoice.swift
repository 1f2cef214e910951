import FoundationEssentials
import TOML
import Terminal

/// Which theme is on, and how it changes between day and night.
struct ThemeChoice {
  /// What became of a wish for a theme.
  enum Outcome: Equatable {
    case taken, unknown
    /// It is the one that the program was started with, now without the mistakes that it had.
    case repaired
    /// Its file is wrong: what the first mistake is, and where. The old one stays.
    case broken(FileProblem)
  }

  let library: ThemeLibrary
  private(set) var night: String
  private(set) var day: String
  private(set) var current: String
  /// The current theme; a plain one when its file is not there.
  private(set) var theme: Theme
  /// Whether the theme that was asked for is there.
  let isFound: Bool
  /// The mistakes in the file of the theme that the program was started with: what could be read of it is used, for there is
  /// none before it that could stay.
  let problems: [FileProblem]
  /// Whether that theme is on still, as it was.
  private var hasProblems: Bool
  /// Which colours of names the person can tell apart.
  var vision: Theme.Vision { didSet { theme.vision = vision } }
  /// The names of the current theme and of those that it inherits from, as they were last read.
  private var lineage: [String]
  /// When their files had been written by then.
  private var dates: [[Date]]?

  /// - Parameters:
  ///   - wanted: a theme's name, or `auto`, which is what the surroundings ask for.
  ///   - kind: that of the surroundings, as far as it is known.
  ///   - vision: which colours of names the person can tell apart.
  init(
    library: ThemeLibrary, wanted: String, night: String, day: String, kind: Theme.Kind? = nil,
    vision: Theme.Vision = .all
  ) {
    self.library = library
    self.night = night
    self.day = day
    current = Self.name(wanted, night: night, day: day, kind: kind)
    let found = library.theme(current)
    theme = found?.theme ?? .plain
    theme.vision = vision
    self.vision = vision
    lineage = found?.lineage ?? [current]
    isFound = found != nil
    problems = found?.problems ?? []
    hasProblems = !problems.isEmpty
  }

  private static func name(_ wanted: String, night: String, day: String, kind: Theme.Kind?)
    -> String
  {
    wanted == "auto" ? (kind == .light ? day : night) : wanted
  }

  /// Takes what the settings say now: the themes of night and day, and the one that is wanted. The parameters are those of
  /// `init`.
  /// - Returns: what became of it, and which theme was meant.
  mutating func follow(wanted: String, night: String, day: String, kind: Theme.Kind?) -> (
    outcome: Outcome, name: String
  ) {
    (self.night, self.day) = (night, day)
    let name = Self.name(wanted, night: night, day: day, kind: kind)
    return (choose(name), name)
  }

  /// Takes the theme of that name.
  mutating func choose(_ name: String) -> Outcome {
    let name = name == "auto" ? night : name
    guard let found = library.theme(name) else { return .unknown }
    let problem = found.problems.first
    // A mistake in the current one is told once.
    if problem == nil || name == current { see(found.lineage) }
    if let problem { return .broken(problem) }
    let isRepaired = hasProblems && name == current
    (current, hasProblems) = (name, false)
    theme = found.theme
    theme.vision = vision
    return isRepaired ? .repaired : .taken
  }

  /// The one that a change between night and day takes.
  var other: String { theme.kind == .light ? night : day }

  /// Whether the file has been written since it was last read, or one that it inherits from.
  var hasChanged: Bool {
    mutating get {
      // The first look is only to know them by.
      guard let dates else {
        see(lineage)
        return false
      }
      return dates != lineage.map(library.dates(of:)) && !library.dates(of: current).isEmpty
    }
  }

  private mutating func see(_ names: [String]) {
    lineage = names
    dates = names.map(library.dates(of:))
  }
}
