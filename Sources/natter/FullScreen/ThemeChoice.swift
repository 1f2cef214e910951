import FoundationEssentials
import TOML
import Terminal

/// Which theme is on, and how it changes between day and night.
struct ThemeChoice {
  /// What became of a wish for a theme.
  enum Outcome: Equatable {
    case taken, unknown
    /// Its file is wrong: what the first mistake is, and where. The old one stays.
    case broken(FileProblem)
  }

  let library: ThemeLibrary
  let night: String
  let day: String
  private(set) var current: String
  /// The current theme; a plain one when its file is not there.
  private(set) var theme: Theme
  /// Whether the theme that was asked for is there.
  let isFound: Bool
  private var date: Date?

  /// - Parameters:
  ///   - wanted: a theme's name, or `auto`, which is what the surroundings ask for.
  ///   - kind: that of the surroundings, as far as it is known.
  init(
    library: ThemeLibrary, wanted: String, night: String, day: String, kind: Theme.Kind? = nil
  ) {
    self.library = library
    self.night = night
    self.day = day
    current = wanted == "auto" ? (kind == .light ? day : night) : wanted
    let found = library.theme(current)
    theme = found?.theme ?? .plain
    isFound = found != nil
  }

  /// Takes the theme of that name.
  mutating func choose(_ name: String) -> Outcome {
    let name = name == "auto" ? night : name
    guard let found = library.theme(name) else { return .unknown }
    date = library.date(of: name)
    if let error = found.errors.first { return .broken(error.problem(in: name + ".toml")) }
    current = name
    theme = found.theme
    return .taken
  }

  /// The one that a change between night and day takes.
  var other: String { theme.kind == .light ? night : day }

  /// Whether the file has been written since it was last read.
  var hasChanged: Bool {
    mutating get {
      let now = library.date(of: current)
      // The first look is only to know it by.
      guard let date else {
        date = now
        return false
      }
      return now != nil && now != date
    }
  }
}
