import FoundationEssentials
import Panes
import Terminal
import TOML

/// The themes that can be chosen: those shipped, and the person's own.
struct ThemeLibrary {
  private let directories: [URL]

  /// - Parameter directories: looked through in order; an earlier one's theme hides a later one's of the same name.
  init(directories: [URL]) { self.directories = directories }

  /// The person's own themes before those that are shipped.
  static func standard(paths: Paths, resources: URL) -> ThemeLibrary {
    ThemeLibrary(directories: [
      paths.config.appending(path: "themes"), resources.appending(path: "themes"),
    ])
  }

  /// The names of all themes, sorted.
  var names: [String] {
    let files = directories.flatMap {
      (try? FileManager.default.contentsOfDirectory(atPath: $0.path)) ?? []
    }
    return Set(files.filter { $0.hasSuffix(".toml") }.map { String($0.dropLast(5)) }).sorted()
  }

  /// The theme called `name` and what is wrong in its file; `nil` when there is no such file.
  func theme(_ name: String) -> (theme: Theme, errors: [TOMLError])? {
    guard let (file, errors) = file(name) else { return nil }
    return (Theme(file) { self.file($0)?.file }, errors)
  }

  /// When the file of `name` was last written; `nil` when there is none.
  func date(of name: String) -> Date? {
    guard !name.isEmpty, !name.contains("/") else { return nil }
    for directory in directories {
      let path = directory.appending(path: name + ".toml").path
      if let date = try? FileManager.default.attributesOfItem(atPath: path)[.modificationDate] {
        return date as? Date
      }
    }
    return nil
  }

  /// What the file of `name` says; `nil` when there is none.
  func file(_ name: String) -> (file: ThemeFile, errors: [TOMLError])? {
    text(of: name).map { ThemeFile.parse($0, roles: StyleRole.named) }
  }

  /// The file of `name` as it stands; `nil` when there is none.
  func text(of name: String) -> String? {
    // A name is a file's, never a path's.
    guard !name.isEmpty, !name.contains("/"), !name.hasPrefix(".") else { return nil }
    return directories.lazy.compactMap {
      try? String(contentsOf: $0.appending(path: name + ".toml"), encoding: .utf8)
    }.first
  }
}
