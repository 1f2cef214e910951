import Terminal

/// Which theme is on, and how it changes between day and night.
struct ThemeChoice {
  let library: ThemeLibrary
  let night: String
  let day: String
  private(set) var current: String
  /// The current theme; a plain one when its file is not there.
  private(set) var theme: Theme
  /// Whether the theme that was asked for is there.
  let isFound: Bool

  /// - Parameter wanted: a theme's name, or `auto`, which is the night theme until the terminal's background is asked for.
  init(library: ThemeLibrary, wanted: String, night: String, day: String) {
    self.library = library
    self.night = night
    self.day = day
    current = wanted == "auto" ? night : wanted
    let found = library.theme(current)
    theme = found?.theme ?? .plain
    isFound = found != nil
  }

  /// Takes the theme of that name.
  /// - Returns: `false` when there is none, or its file is wrong; the old one stays.
  mutating func choose(_ name: String) -> Bool {
    let name = name == "auto" ? night : name
    guard let found = library.theme(name), found.errors.isEmpty else { return false }
    current = name
    theme = found.theme
    return true
  }

  /// From night to day and back.
  mutating func toggle() { _ = choose(current == day ? night : day) }
}
