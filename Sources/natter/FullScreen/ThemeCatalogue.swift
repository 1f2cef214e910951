import Dispatch
import FoundationEssentials
import Panes
import Terminal
import ViewModels

/// What the themes call themselves and what they are made for: their files are read beside the main actor, and what was found
/// stays until they are read again.
final class ThemeCatalogue {
  private let library: ThemeLibrary
  /// Where the person's own are.
  private let own: URL
  private let readAll: @Sendable (ThemeLibrary, URL) -> [String: ThemeState]
  private var found: [String: ThemeState] = [:]
  /// Called when there are other names than before, as far as that was read aside.
  var onNames: () -> Void = {}
  /// The last reading that was begun: an earlier one that ends later says nothing new.
  private var round = 0
  /// How often a file was written, or somebody asked for what there is now: what began to be read before may be older.
  private var changes = 0
  private var soon: Task<Void, Never>?
  /// A disk that does not answer keeps this one waiting, and nobody else.
  private let queue = DispatchQueue(label: "natter.themes", qos: .utility)

  /// - Parameters:
  ///   - own: the directory of the person's own themes.
  ///   - readAll: reads the files, beside the main actor.
  init(
    _ library: ThemeLibrary, own: URL,
    readAll: @escaping @Sendable (ThemeLibrary, URL) -> [String: ThemeState] = ThemeCatalogue.read
  ) {
    self.library = library
    self.own = own
    self.readAll = readAll
  }

  /// Those that there were when they were last read, by their names; none before.
  var states: [ThemeState] { names.compactMap { found[$0] } }

  /// What their files are called.
  var names: [String] { found.keys.sorted() }

  /// A theme; `nil` until its file was read, or when there is none.
  subscript(theme: String) -> ThemeState? { found[theme] }

  /// Reads all files.
  func refresh() async {
    round += 1
    let begun = round
    var all: [String: ThemeState] = [:]
    var seen: Int
    repeat {
      seen = changes
      all = await withCheckedContinuation { [queue, readAll, library, own] continuation in
        queue.async { continuation.resume(returning: readAll(library, own)) }
      }
      guard begun == round else { return }
    } while seen != changes
    let before = names
    found = all
    if names != before { onNames() }
  }

  /// Has all files read in a moment: for who shows what is known already, and goes by `onNames` from then on.
  func refreshSoon() {
    changes += 1
    guard soon == nil else { return }
    soon = Task { [weak self] in
      await self?.refresh()
      self?.soon = nil
    }
  }

  /// Reads the file of one that was written just now.
  func refresh(_ theme: String) {
    changes += 1
    found[theme] = Self.state(of: theme, in: library, own: own)
  }

  nonisolated static func read(_ library: ThemeLibrary, own: URL) -> [String: ThemeState] {
    var all: [String: ThemeState] = [:]
    for name in library.names { all[name] = state(of: name, in: library, own: own) }
    return all
  }

  private nonisolated static func state(of name: String, in library: ThemeLibrary, own: URL)
    -> ThemeState?
  {
    library.theme(name).map {
      ThemeState(
        id: name, name: SafeText.line($0.theme.name), isForDay: $0.theme.kind == .light,
        isOwn: FileManager.default.fileExists(
          atPath: own.appending(path: name + ".toml").path))
    }
  }
}
