import Configuration
import FoundationEssentials
import Keys
import TOML
import Terminal

/// A file in the subset of TOML. The first byte chooses whose: `0` any, `1` key bindings, `2` a
/// theme, `3` the settings, in which one is changed: the second byte chooses which, and to what.
enum TOMLFuzzing {
  private static let roles = Dictionary(
    uniqueKeysWithValues: ["body", "accent", "error", "cursor"].enumerated().map { index, name in
      (name, StyleRole(rawValue: UInt8(index)))
    })

  @Sendable static func run(_ bytes: [UInt8]) throws {
    var input = FuzzInput(bytes)
    switch input.choice(of: 4) {
    case 0: try document(input.text)
    case 1:
      var keymap = Keymap()
      _ = KeymapFile.apply(
        input.text, of: "keys.toml", to: &keymap,
        commands: ["palette", "next-unread", "send", "quit"],
        contexts: ["everywhere", "input", "list"], behind: ["input": "everywhere"],
        typing: ["input"], sending: ["send"])
    case 2:
      let (file, _) = ThemeFile.parse(input.text, roles: roles)
      _ = Theme(file)
    default:
      let choice = input.byte()
      try settings(input.text, choice)
    }
  }

  /// Checks that a parsed document can be written, and parsed again as the same.
  private static func document(_ text: String) throws {
    let (document, errors) = TOMLDocument.parseCollectingErrors(text)
    let count = text.utf8.count(where: { $0 == UInt8(ascii: "\n") }) + 1
    for error in errors {
      try require((1...count).contains(error.line), "a mistake in line \(error.line) of \(count)")
    }
    var writer = TOMLWriter()
    for entry in document.root.entries { writer.set(entry.key, entry.value.kind) }
    for table in document.tables.dropFirst() { writer.write(table) }
    let again: TOMLDocument
    do { again = try TOMLDocument.parse(writer.text) } catch {
      throw FuzzFinding(description: "what was written is refused: \(error)\n\(writer.text)")
    }
    var second = TOMLWriter()
    for entry in again.root.entries { second.set(entry.key, entry.value.kind) }
    for table in again.tables.dropFirst() { second.write(table) }
    try require(second.text == writer.text, "written again it is something else")
  }

  /// Values that some settings take and others refuse.
  private static let values: [String?] = [
    nil, "true", "false", "5222", "auto", "night", "notify-send natter %s", "alice@example.org",
    "22:00-07:00", "chat.example.org", "de", "0", "never", "a # b \"c\" \\ d",
  ]

  /// A change of one setting leaves the lines that are not its own.
  private static func settings(_ text: String, _ choice: UInt8) throws {
    let setting = Setting.all[Int(choice) % Setting.all.count]
    let value = values[Int(choice) / Setting.all.count % values.count]
    let folder = try FuzzFolder.shared.get()
    let path = folder.path("config.toml")
    try folder.write(Array(text.utf8), to: "config.toml")
    let names = KnownNames(themes: ["night", "day"], languages: ["en", "de"])
    let editor = ConfigurationEditor(path: path, names: names)
    let before = ConfigurationFile(names: names).read(text)
    let settings: Settings
    do { settings = try editor.set(setting, to: value) } catch {
      try require(
        folder.read("config.toml") == Array(text.utf8), "a refused change has changed the file")
      return
    }
    let after = String(decoding: folder.read("config.toml"), as: UTF8.self)
    let again = ConfigurationFile(names: names).read(after)
    try require(again.settings == settings, "the file says something else than was told")
    try require(
      Set(again.problems.map(\.sentences)).isSubset(of: before.problems.map(\.sentences)),
      "the change has made a mistake:\n\(after)")
    try checkComments(of: text, in: after)
  }

  /// Lines that are comments and nothing else are all there, in their order.
  private static func checkComments(of before: String, in after: String) throws {
    func comments(_ text: String) -> [Substring] {
      text.split(whereSeparator: \.isNewline).filter { line in
        line.first { $0 != " " && $0 != "\t" } == "#"
      }
    }
    var left = comments(after)[...]
    for comment in comments(before) {
      guard let position = left.firstIndex(of: comment) else {
        throw FuzzFinding(description: "a comment is gone: \(comment)\n\(before)\n\(after)")
      }
      left = left[(position + 1)...]
    }
  }
}

extension TOMLWriter {
  fileprivate mutating func write(_ table: TOMLTable) {
    switch table.path.count {
    case 1: section(table.path[0])
    case 2: section(table.path[0], table.path[1])
    default: return
    }
    for entry in table.entries { set(entry.key, entry.value.kind) }
  }
}
