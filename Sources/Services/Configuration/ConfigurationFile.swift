import FoundationEssentials
import NatterCore
import System
import TOML

/// Reads `config.toml`. Despite errors in it, the rest is used.
package struct ConfigurationFile: Sendable {
  /// The maximum size, in bytes.
  private static let sizeLimit = 1 << 20

  private let names: KnownNames
  private let file: String

  /// - Parameters:
  ///   - names: the available themes and languages.
  ///   - file: the name of the file in the problems.
  package init(names: KnownNames = KnownNames(), file: String = "config.toml") {
    self.names = names
    self.file = file
  }

  /// Reads the file at `path`. A missing file counts as empty, without a problem.
  package func read(at path: String) -> (settings: Settings, problems: [FileProblem]) {
    let content: Data
    do {
      guard let found = try PrivateFile.read(path, limit: Self.sizeLimit) else {
        return (Settings(), [])
      }
      content = found
    } catch {
      return (Settings(), [problem(nil, Self.unreadable(error), Self.usingDefaults)])
    }
    if let text = String(data: content, encoding: .utf8) { return read(text) }
    guard let (text, wrong) = Self.readable(content) else {
      return (
        Settings(), [problem(nil, LocalizableText("mistake.config.notUTF8"), Self.usingDefaults)]
      )
    }
    let (settings, problems) = read(text)
    let reported = wrong.map {
      problem($0, LocalizableText("mistake.config.notUTF8"), Self.lineLeftOut)
    }
    let others = problems.filter { !wrong.contains($0.line ?? 0) }
    return (settings, (reported + others).sorted { ($0.line ?? 0) < ($1.line ?? 0) })
  }

  /// Returns the text with empty lines instead of those that are not UTF-8, and the numbers of
  /// these; `nil` if it is binary.
  ///
  /// A section header is kept: the lines below it do not belong to the section before.
  private static func readable(_ content: Data) -> (text: String, wrong: [Int])? {
    guard !content.contains(0) else { return nil }
    var wrong: [Int] = []
    let lines = content.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    let texts = lines.enumerated().map { index, line in
      if let text = String(data: line, encoding: .utf8) { return text }
      wrong.append(index + 1)
      let text = String(decoding: line, as: UTF8.self)
      return text.first { $0 != " " && $0 != "\t" } == "[" ? text : ""
    }
    return (texts.joined(separator: "\n"), wrong)
  }

  /// Reads the text of a file.
  package func read(_ text: String) -> (settings: Settings, problems: [FileProblem]) {
    let (document, errors) = TOMLDocument.parseCollectingErrors(text)
    var settings = Settings()
    var problems = errors.map { error in
      FileProblem(
        file: file, line: error.line,
        error.sentences + [Self.lineLeftOut])
    }
    for table in document.tables where !(table.path.isEmpty && table.entries.isEmpty) {
      problems += apply(table, to: &settings)
    }
    return (settings, problems.sorted { ($0.line ?? 0) < ($1.line ?? 0) })
  }

  private func apply(_ table: TOMLTable, to settings: inout Settings) -> [FileProblem] {
    let name = table.path.joined(separator: ".")
    let known = Setting.all.filter { [$0.section] == table.path }
    guard !known.isEmpty else {
      if table.path.isEmpty {
        return table.entries.map { problem($0.line, keyOutside($0.key), Self.leftOut) }
      }
      let nearest = Spelling.nearest(to: name, among: Set(Setting.all.map(\.section)).sorted())
      let reported =
        nearest.map {
          LocalizableText(
            "mistake.config.sectionNear",
            ["section": .verbatim(name), "nearest": .verbatim($0)])
        } ?? LocalizableText("mistake.config.unknownSection", ["section": .verbatim(name)])
      return [problem(table.line, reported, Self.leftOut)]
    }
    return table.entries.compactMap { entry in
      guard let setting = known.first(where: { $0.key == entry.key }) else {
        return problem(entry.line, unknownKey(entry.key, in: name, known: known), Self.leftOut)
      }
      return setting.apply(entry.value, to: &settings, names: names).map { wrong in
        problem(
          entry.value.line, wrong,
          setting.defaultText.map {
            LocalizableText("mistake.config.using", ["value": .verbatim($0)])
          } ?? Self.leftOut)
      }
    }
  }

  private static let leftOut = LocalizableText("mistake.config.leftOut")
  private static let lineLeftOut = LocalizableText("mistake.config.lineLeftOut")
  private static let usingDefaults = LocalizableText("mistake.config.usingDefaults")

  private static func unreadable(_ failure: PrivateFile.Failure) -> LocalizableText {
    failure.kind == .tooLarge
      ? LocalizableText("mistake.config.tooLarge", ["limit": .verbatim(String(sizeLimit))])
      : LocalizableText("mistake.config.unreadable", ["reason": .verbatim(failure.reason)])
  }

  private func keyOutside(_ key: String) -> LocalizableText {
    guard let section = Setting.all.first(where: { $0.key == key })?.section else {
      return LocalizableText("mistake.config.keyOutside", ["key": .verbatim(key)])
    }
    return LocalizableText(
      "mistake.config.keyAbove", ["key": .verbatim(key), "section": .verbatim(section)])
  }

  private func unknownKey(_ key: String, in section: String, known: [Setting]) -> LocalizableText {
    var arguments: [String: LocalizableText.Word] = [
      "key": .verbatim(key), "section": .verbatim(section),
    ]
    if let nearest = Spelling.nearest(to: key, among: known.map(\.key)) {
      arguments["nearest"] = .verbatim(nearest)
      return LocalizableText("mistake.config.keyNear", arguments)
    }
    if let other = Setting.all.first(where: { $0.key == key }) {
      arguments["other"] = .verbatim(other.section)
      return LocalizableText("mistake.config.keyElsewhere", arguments)
    }
    return LocalizableText("mistake.config.unknownKey", arguments)
  }

  private func problem(_ line: Int?, _ sentences: LocalizableText...) -> FileProblem {
    FileProblem(file: file, line: line, sentences)
  }

  /// Returns the file with every setting at its default, each commented out: the output of
  /// `--print-config`.
  /// - Parameters:
  ///   - head: the first lines, without comment characters.
  ///   - comment: returns the lines above a setting, without comment characters; by default those
  ///     of `Setting`, in English.
  package static func commentedDefaults(
    head: [String] = [],
    comment: (Setting) -> [String] = { $0.comment.split(separator: "\n").map(String.init) }
  ) -> String {
    var text = head.map { "# \($0)\n" }.joined()
    var section = ""
    for setting in Setting.all {
      if setting.section != section {
        section = setting.section
        text += "\n[\(section)]\n"
      }
      text += "\n"
      for line in comment(setting) { text += "# \(line)\n" }
      if let value = setting.defaultText {
        text += "#\(setting.key) = \(value)\n"
      } else if let example = setting.example {
        text += "#\(setting.key) = \(example)\n"
      }
    }
    return text
  }
}
