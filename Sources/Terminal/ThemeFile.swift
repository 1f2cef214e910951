import TOML

/// A theme file as it was read (UX.md 5.3).
package struct ThemeFile: Equatable, Sendable {
  /// What a file says about a role; what it leaves out comes from the plain text.
  struct Style: Equatable, Sendable {
    var foreground: Color?
    var background: Color?
    var attributes: Attributes = []
  }

  /// The name that people read; empty if the file has none.
  package var name: String
  /// Dark or light; `nil` if the file leaves that to the theme it inherits from.
  package var kind: Theme.Kind?
  /// The name of the theme that says what this one leaves out.
  package var inherits: String?
  var styles: [StyleRole: Style] = [:]
  var styles16: [StyleRole: Style] = [:]
  var stylesMono: [StyleRole: Style] = [:]

  /// Reads a file's text; what is wrong in it is left out.
  /// - Parameter roles: all roles by the names that files use.
  /// - Returns: the theme, and what is wrong, in the order of the lines.
  package static func parse(
    _ text: String, roles: [String: StyleRole]
  ) -> (file: ThemeFile, errors: [TOMLError]) {
    let (document, errors) = TOMLDocument.parseCollectingErrors(text)
    var reader = ThemeReader(roles: roles, errors: errors)
    let file = reader.read(document)
    return (file, reader.errors.sorted { $0.line < $1.line })
  }
}

/// One reading of a theme file.
private struct ThemeReader {
  let roles: [String: StyleRole]
  var errors: [TOMLError]
  private var palette: [String: Color] = [:]

  init(roles: [String: StyleRole], errors: [TOMLError]) {
    self.roles = roles
    self.errors = errors
  }

  mutating func read(_ document: TOMLDocument) -> ThemeFile {
    var file = ThemeFile(name: "")
    readHead(document.root, into: &file)
    if let table = document["palette"] { readPalette(table) }
    for table in document.tables.dropFirst() {
      switch table.path.joined(separator: ".") {
      case "palette": break
      case "roles": file.styles = readStyles(table)
      case "roles-16": file.styles16 = readStyles(table)
      case "roles-mono": file.stylesMono = readStyles(table, isMono: true)
      case let name:
        wrong(
          table.line, "there is no section [\(name)] in a theme",
          suggestion(for: name, among: ["palette", "roles", "roles-16", "roles-mono"])
            ?? "There are [palette], [roles], [roles-16] and [roles-mono].")
      }
    }
    if file.name.isEmpty { wrong(1, "the theme has no name", "Write name = \"...\" at the top.") }
    return file
  }

  private mutating func readHead(_ table: TOMLTable, into file: inout ThemeFile) {
    for entry in table.entries {
      guard let text = entry.value.string else {
        wrong(entry.line, "\(entry.key) is \(entry.value.kindName)", "Put it in quotation marks.")
        continue
      }
      switch entry.key {
      case "name": file.name = text
      case "inherits": file.inherits = text
      case "kind":
        file.kind = Theme.Kind(rawValue: text)
        if file.kind == nil {
          wrong(entry.line, "the kind \"\(text)\" is unknown", "Write \"dark\" or \"light\".")
        }
      default:
        wrong(
          entry.line, "\(entry.key) is unknown",
          suggestion(for: entry.key, among: ["name", "kind", "inherits"])
            ?? "Colours belong into [palette], roles into [roles].")
      }
    }
  }

  private mutating func readPalette(_ table: TOMLTable) {
    for entry in table.entries {
      if entry.key == "on" || Attributes.named[entry.key] != nil || entry.key == "-" {
        wrong(
          entry.line, "a colour cannot be called \(entry.key)", "That word means something else.")
      } else if let number = entry.value.integer, let index = UInt8(exactly: number) {
        palette[entry.key] = .indexed(index)
      } else if let text = entry.value.string {
        if let color = color(text, line: entry.line) { palette[entry.key] = color }
      } else {
        wrong(
          entry.line, "\(entry.key) is no colour", "Write \"#rrggbb\" or a number from 0 to 255.")
      }
    }
  }

  private mutating func readStyles(
    _ table: TOMLTable, isMono: Bool = false
  ) -> [StyleRole: ThemeFile.Style] {
    var styles: [StyleRole: ThemeFile.Style] = [:]
    for entry in table.entries {
      guard let role = roles[entry.key] else {
        wrong(
          entry.line, "there is no role \"\(entry.key)\"",
          suggestion(for: entry.key, among: roles.keys.sorted()) ?? "")
        continue
      }
      guard let text = entry.value.string else {
        wrong(
          entry.line, "\"\(entry.key)\" is \(entry.value.kindName)",
          "Write it like \"ink on paper bold\".")
        continue
      }
      guard let style = style(text, line: entry.line) else { continue }
      if isMono, style.foreground != nil || style.background != nil {
        wrong(
          entry.line, "\"\(entry.key)\" has a colour in [roles-mono]",
          "Only bold, dim, italic, underline and reverse can stand here.")
      }
      styles[role] = style
    }
    return styles
  }

  /// `[fg] [on bg] [attributes]`
  private mutating func style(_ text: String, line: Int) -> ThemeFile.Style? {
    var style = ThemeFile.Style()
    var isBackground = false
    for word in text.split(separator: " ").map(String.init) {
      if word == "on", !isBackground {
        isBackground = true
      } else if isBackground, style.background == nil {
        guard let color = color(word, line: line) else { return nil }
        style.background = color
      } else if let attribute = Attributes.named[word] {
        style.attributes.insert(attribute)
      } else if style.foreground == nil, !isBackground {
        guard let color = color(word, line: line) else { return nil }
        style.foreground = color
      } else {
        wrong(
          line, "\"\(word)\" is one word too many",
          suggestion(for: word, among: Attributes.named.keys.sorted())
            ?? "A role is a colour, \"on\" and a colour, and attributes.")
        return nil
      }
    }
    if isBackground, style.background == nil {
      wrong(line, "there is no colour behind \"on\"")
      return nil
    }
    return style
  }

  private mutating func color(_ word: String, line: Int) -> Color? {
    if word == "-" { return .terminalDefault }
    if let color = palette[word] { return color }
    if let index = Color.ansiNames.firstIndex(of: word) { return .indexed(UInt8(index)) }
    if word.first == "#", word.utf8.count == 7, word.dropFirst().allSatisfy(\.isHexDigit),
      let value = UInt32(word.dropFirst(), radix: 16)
    {
      return .rgb(
        UInt8(value >> 16), UInt8(value >> 8 & 0xFF), UInt8(value & 0xFF))
    }
    if let number = UInt8(word) { return .indexed(number) }
    wrong(
      line, "there is no colour \"\(word)\"",
      word.first == "#" || word.allSatisfy(\.isNumber)
        ? "Write # and six hexadecimal digits, or a number from 0 to 255."
        : suggestion(
          for: word, among: palette.keys.sorted() + Color.ansiNames + Attributes.named.keys.sorted()
        )
          ?? "Name it in [palette] first.")
    return nil
  }

  private func suggestion(for word: String, among known: [String]) -> String? {
    Spelling.nearest(to: word, among: known).map { "Did you mean \"\($0)\"?" }
  }

  private mutating func wrong(_ line: Int, _ problem: String, _ advice: String = "") {
    errors.append(TOMLError(line: line, problem: problem, advice: advice))
  }
}
