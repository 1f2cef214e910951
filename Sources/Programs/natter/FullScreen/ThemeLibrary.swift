import FoundationEssentials
import Panes
import System
import TOML
import Terminal

/// The available themes: those shipped, and the user's own.
nonisolated struct ThemeLibrary: Sendable {
  private let directories: [URL]

  /// A theme's file and where it was found.
  private struct Found {
    let name: String
    /// The index of its directory.
    let index: Int
    let file: ThemeFile
    let errors: [TOMLError]
  }

  /// - Parameter directories: searched in order; an earlier one's theme hides a later one's of the
  ///   same name.
  init(directories: [URL]) { self.directories = directories }

  /// The user's own themes before those that are shipped.
  static func standard(paths: Paths, resources: URL) -> ThemeLibrary {
    ThemeLibrary(directories: [
      paths.config.appending(path: "themes"), resources.appending(path: "themes"),
    ])
  }

  /// The names of all themes, sorted.
  var names: [String] {
    let files = directories.flatMap { DirectoryNames.all(in: $0.path) }
    return Set(files.filter { $0.hasSuffix(".toml") }.map { String($0.dropLast(5)) }).sorted()
  }

  /// The theme called `name`, the mistakes in its file and in those that it inherits from, and the
  /// names of all these; `nil` when there is no such file.
  func theme(_ name: String) -> (theme: Theme, problems: [FileProblem], lineage: [String])? {
    found(name).map { whole($0, label: Self.label(of: name)) }
  }

  /// The name of a theme's file in reports of its mistakes.
  private static func label(of name: String) -> String { "themes/\(name).toml" }

  /// The theme of a text, as if it were a file of the first directory, and the mistakes in it and
  /// in its parents.
  /// - Parameters:
  ///   - name: the file's name without its extension.
  ///   - label: its name in reports of its mistakes.
  func theme(of text: String, named name: String, label: String)
    -> (theme: Theme, problems: [FileProblem])
  {
    let (file, errors) = ThemeFile.parse(text, roles: StyleRole.named)
    let read = whole(Found(name: name, index: 0, file: file, errors: errors), label: label)
    return (read.theme, read.problems)
  }

  /// Reports that a theme inherits from one that does not exist.
  private static let noBase = "mistake.theme.noBase"
  /// Reports that a theme inherits from itself.
  private static let itself = "mistake.theme.itself"

  /// Returns whether `problems` include a missing parent: then the theme lacks something through no
  /// mistake of its own.
  static func lacksParent(_ problems: [FileProblem]) -> Bool {
    problems.contains { $0.sentences.contains { [noBase, itself].contains($0.key) } }
  }

  /// A theme with what it inherits. A theme that inherits from its own name means the one that it
  /// hides: a shipped theme with a few colours of the user.
  private func whole(_ first: Found, label: String) -> (
    theme: Theme, problems: [FileProblem], lineage: [String]
  ) {
    var chain = [first]
    var problems = first.errors.map { $0.problem(in: label) }
    while let last = chain.last, let parent = last.file.inherits {
      func wrong(_ key: String, _ remedy: [LocalizableText] = []) {
        problems.append(
          FileProblem(
            file: chain.count == 1 ? label : Self.label(of: last.name),
            line: last.file.inheritsLine,
            [LocalizableText(key, ["name": .verbatim(parent)])] + remedy))
      }
      let isOwnName = parent == last.name
      guard let next = found(parent, from: isOwnName ? last.index + 1 : 0) else {
        if isOwnName {
          wrong(Self.itself)
          break
        }
        let others = names.filter { $0 != first.name }
        wrong(
          Self.noBase,
          [
            LocalizableText(
              "mistake.theme.bases", ["list": .verbatim(others.joined(separator: ", "))])
          ])
        break
      }
      guard !chain.contains(where: { $0.name == next.name && $0.index == next.index }) else {
        wrong("mistake.theme.circle")
        break
      }
      chain.append(next)
      problems += next.errors.map { $0.problem(in: Self.label(of: next.name)) }
    }
    return (Theme(chain: chain.map(\.file)), problems, chain.map(\.name))
  }

  /// The modification times of the files of that name; empty when there is none. No file is read.
  func dates(of name: String) -> [Date] {
    guard !name.isEmpty, !name.contains("/") else { return [] }
    return directories.compactMap { FileDate.of($0.path + "/\(name).toml") }
  }

  /// The contents of the file of `name`; `nil` when there is none.
  func text(of name: String) -> String? { located(name, from: 0)?.text }

  private func found(_ name: String, from first: Int = 0) -> Found? {
    located(name, from: first).map { index, text in
      let (file, errors) = ThemeFile.parse(text, roles: StyleRole.named)
      return Found(name: name, index: index, file: file, errors: errors)
    }
  }

  private func located(_ name: String, from first: Int) -> (index: Int, text: String)? {
    // A name is the name of a file, never a path.
    guard !name.isEmpty, !name.contains("/"), !name.hasPrefix(".") else { return nil }
    for index in directories.indices.dropFirst(first) {
      if let text = FileContents.text(of: directories[index].path + "/\(name).toml") {
        return (index, text)
      }
    }
    return nil
  }
}
