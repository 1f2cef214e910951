import Dispatch
import FoundationEssentials
import Panes
import Terminal
import ViewModels

/// The names and kinds of the themes. Their files are read off the main actor, and the results stay
/// until they are read again.
final class ThemeCatalogue {
  private let library: ThemeLibrary
  /// The folder of the user's own themes.
  private let own: URL
  private let readAll: @Sendable (ThemeLibrary, URL) -> [String: ThemeState]
  private var found: [String: ThemeState] = [:]
  /// Called when a read off the main actor has found other names than before.
  var onNames: () -> Void = {}
  /// The number of the last read that was started: results of an earlier one are dropped.
  private var round = 0
  /// The number of changes and requests: a read that began before the last of them may be outdated.
  private var changes = 0
  private var soon: Task<Void, Never>?
  /// A disk that does not answer blocks only this queue.
  private let queue = DispatchQueue(label: "natter.themes", qos: .utility)

  /// - Parameters:
  ///   - own: the directory of the user's own themes.
  ///   - readAll: reads the files, off the main actor.
  init(
    _ library: ThemeLibrary, own: URL,
    readAll: @escaping @Sendable (ThemeLibrary, URL) -> [String: ThemeState] = ThemeCatalogue.read
  ) {
    self.library = library
    self.own = own
    self.readAll = readAll
  }

  /// The themes that were last read, by their names; empty before that.
  var states: [ThemeState] { names.compactMap { found[$0] } }

  /// The names of their files.
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

  /// Starts to read all files: for callers that show what is known already, and then follow
  /// `onNames`.
  func refreshSoon() {
    changes += 1
    guard soon == nil else { return }
    soon = Task { [weak self] in
      await self?.refresh()
      self?.soon = nil
    }
  }

  /// Reads the file of a theme that was written just now.
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
