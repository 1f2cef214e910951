import FoundationEssentials
import NatterCore
import TOML

/// Something in `config.toml` that was not understood, and what was done about it.
package struct ConfigurationProblem: Hashable, Sendable, CustomStringConvertible {
  /// The file's name, without its directory.
  package let file: String
  /// Counted from 1; `nil`: the file as a whole.
  package let line: Int?
  /// What is wrong, in sentences. Quotes the file: to be shown made safe.
  package let text: String

  /// `config.toml:12: theme "nigth" is unknown, did you mean "night"? Using "auto".`
  package var description: String { file + (line.map { ":\($0)" } ?? "") + ": " + text }
}

/// Reads `config.toml`. Whatever is wrong in it, the rest is used.
package struct ConfigurationFile: Sendable {
  /// Larger files are not read, in bytes.
  private static let sizeLimit = 1 << 20

  private let names: KnownNames
  private let file: String

  /// - Parameters:
  ///   - names: the themes and languages that there are.
  ///   - file: the name that problems are told with.
  package init(names: KnownNames = KnownNames(), file: String = "config.toml") {
    self.names = names
    self.file = file
  }

  /// Reads the file at `path`. A file that is not there says nothing and is no problem.
  package func read(at path: String) -> (settings: Settings, problems: [ConfigurationProblem]) {
    let content: Data
    do {
      guard let found = try PrivateFile.read(path, limit: Self.sizeLimit) else {
        return (Settings(), [])
      }
      content = found
    } catch {
      return (Settings(), [problem(nil, "\(error.reason). Using the defaults.")])
    }
    guard let text = String(data: content, encoding: .utf8) else {
      return (Settings(), [problem(nil, "it is not written in UTF-8. Using the defaults.")])
    }
    return read(text)
  }

  /// Reads a file's text.
  package func read(_ text: String) -> (settings: Settings, problems: [ConfigurationProblem]) {
    let (document, errors) = TOMLDocument.parseCollectingErrors(text)
    var settings = Settings()
    var problems = errors.map { error in
      problem(
        error.line,
        error.problem + "." + (error.advice.isEmpty ? "" : " " + error.advice)
          + " This line is left out.")
    }
    for table in document.tables where !(table.path.isEmpty && table.entries.isEmpty) {
      problems += apply(table, to: &settings)
    }
    return (settings, problems.sorted { ($0.line ?? 0) < ($1.line ?? 0) })
  }

  private func apply(_ table: TOMLTable, to settings: inout Settings) -> [ConfigurationProblem] {
    let name = table.path.joined(separator: ".")
    let known = Setting.all.filter { [$0.section] == table.path }
    guard !known.isEmpty else {
      if table.path.isEmpty {
        return table.entries.map { problem($0.line, keyOutside($0.key)) }
      }
      let nearest = Spelling.nearest(to: name, among: Set(Setting.all.map(\.section)).sorted())
      return [
        problem(
          table.line,
          "the section [\(name)] is unknown"
            + (nearest.map { ", did you mean [\($0)]?" } ?? ".") + " It is left out.")
      ]
    }
    return table.entries.compactMap { entry in
      guard let setting = known.first(where: { $0.key == entry.key }) else {
        return problem(entry.line, unknownKey(entry.key, in: name, known: known))
      }
      return setting.apply(entry.value, to: &settings, names: names).map { wrong in
        let end = setting.defaultText.map { "Using \($0)." } ?? "It is left out."
        return problem(entry.value.line, wrong + (wrong.hasSuffix("?") ? " " : ". ") + end)
      }
    }
  }

  private func keyOutside(_ key: String) -> String {
    let section = Setting.all.first { $0.key == key }?.section
    return "the key \(key) is above all sections."
      + (section.map { " Put it below [\($0)]." } ?? "") + " It is left out."
  }

  private func unknownKey(_ key: String, in section: String, known: [Setting]) -> String {
    let start = "the key \(key) is unknown in [\(section)]"
    if let nearest = Spelling.nearest(to: key, among: known.map(\.key)) {
      return start + ", did you mean \(nearest)? It is left out."
    }
    if let other = Setting.all.first(where: { $0.key == key }) {
      return start + ", it belongs to [\(other.section)]. It is left out."
    }
    return start + ". It is left out."
  }

  private func problem(_ line: Int?, _ text: String) -> ConfigurationProblem {
    ConfigurationProblem(file: file, line: line, text: text)
  }

  /// The file with every setting at its default, each commented out: what `--print-config` prints.
  package static func commentedDefaults() -> String {
    var text = """
      # Natter's settings. The settings page (F6) changes single lines of it and leaves the rest as it is.
      # Each line shows what is used when it is not there; take the # away to change it.
      """ + "\n"
    var section = ""
    for setting in Setting.all {
      if setting.section != section {
        section = setting.section
        text += "\n[\(section)]\n"
      }
      text += "\n"
      for line in setting.comment.split(separator: "\n") { text += "# \(line)\n" }
      if let value = setting.defaultText {
        text += "#\(setting.key) = \(value)\n"
      } else if let example = setting.example {
        text += "#\(setting.key) = \(example)\n"
      }
    }
    return text
  }
}
