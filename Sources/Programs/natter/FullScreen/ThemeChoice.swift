import FoundationEssentials
import TOML
import Terminal

/// The current theme, and how it changes between day and night.
struct ThemeChoice {
  /// The result of choosing a theme.
  enum Outcome: Equatable {
    case taken, unknown
    /// The theme that the program was started with, now without its former mistakes.
    case repaired
    /// The theme's file has mistakes: the first one, and where it is. The old theme stays.
    case broken(FileProblem)
  }

  let library: ThemeLibrary
  private(set) var night: String
  private(set) var day: String
  private(set) var current: String
  /// The current theme; a plain one if its file does not exist.
  private(set) var theme: Theme
  /// Indicates whether the requested theme exists.
  let isFound: Bool
  /// The mistakes in the file of the theme that the program was started with: its readable parts
  /// are used, because there is no previous theme that could stay.
  let problems: [FileProblem]
  /// Indicates whether that theme is still in use unchanged.
  private var hasProblems: Bool
  /// The colours of names that the user can distinguish.
  var vision: Theme.Vision { didSet { theme.vision = vision } }
  /// The names of the current theme and of those that it inherits from, as last read.
  private var lineage: [String]
  /// The modification times of their files at that time.
  private var dates: [[Date]]?

  /// - Parameters:
  ///   - wanted: a theme's name, or `auto`, which follows the surroundings.
  ///   - kind: the kind that suits the surroundings, if known.
  ///   - vision: the colours of names that the user can distinguish.
  init(
    library: ThemeLibrary, wanted: String, night: String, day: String,
    kind: Theme.Brightness? = nil,
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

  private static func name(_ wanted: String, night: String, day: String, kind: Theme.Brightness?)
    -> String
  {
    wanted == "auto" ? (kind == .light ? day : night) : wanted
  }

  /// Applies the current settings: the themes of night and day, and the chosen one. The parameters
  /// are those of `init`.
  /// - Returns: the result, and the name of the theme.
  mutating func follow(wanted: String, night: String, day: String, kind: Theme.Brightness?) -> (
    outcome: Outcome, name: String
  ) {
    (self.night, self.day) = (night, day)
    let name = Self.name(wanted, night: night, day: day, kind: kind)
    return (choose(name), name)
  }

  /// Switches to the theme of that name.
  mutating func choose(_ name: String) -> Outcome {
    let name = name == "auto" ? night : name
    guard let found = library.theme(name) else { return .unknown }
    let problem = found.problems.first
    // A mistake in the current theme is reported once.
    if problem == nil || name == current { see(found.lineage) }
    if let problem { return .broken(problem) }
    let isRepaired = hasProblems && name == current
    (current, hasProblems) = (name, false)
    theme = found.theme
    theme.vision = vision
    return isRepaired ? .repaired : .taken
  }

  /// The theme that a change between night and day switches to.
  var other: String { theme.kind == .light ? night : day }

  /// True if the file, or one that it inherits from, was written since it was last read.
  var hasChanged: Bool {
    mutating get {
      // The first call only records the modification times.
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
