import TOML

/// A parsed theme file (interface.md, "Colours and themes").
package struct ThemeFile: Equatable, Sendable {
  /// A file's style of a role; missing colours come from the plain text.
  struct Style: Equatable, Sendable {
    var foreground: Color?
    var background: Color?
    var attributes: Attributes = []
  }

  /// The displayed name; empty if the file has none.
  package var name: String
  /// Dark or light; `nil` if the file inherits it.
  package var kind: Theme.Brightness?
  /// The name of the theme that supplies missing styles.
  package var inherits: String?
  /// The line of `inherits`, counted from 1; 0 without one.
  package var inheritsLine = 0
  var styles = RoleStyles()
  var styles16 = RoleStyles()
  var stylesMono = RoleStyles()

  /// Parses a file's text; invalid lines are skipped.
  /// - Parameter roles: all roles by their names in files.
  /// - Returns: the theme, and the errors, in the order of the lines.
  package static func parse(
    _ text: String, roles: [String: StyleRole]
  ) -> (file: ThemeFile, errors: [TOMLError]) {
    let (document, errors) = TOMLDocument.parseCollectingErrors(text)
    var reader = ThemeReader(roles: roles, errors: errors)
    let file = reader.read(document)
    return (file, reader.errors.sorted { $0.line < $1.line })
  }
}

/// The state of parsing one theme file.
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
      switch table.path.count == 1 ? table.path[0] : table.path.joined(separator: ".") {
      case "palette": break
      case "roles": file.styles = readStyles(table)
      case "roles-16": file.styles16 = readStyles(table)
      case "roles-mono": file.stylesMono = readStyles(table, isMono: true)
      case let name:
        wrong(
          table.line, "mistake.theme.unknownSection", ["section": name],
          suggestion(for: name, among: ["palette", "roles", "roles-16", "roles-mono"])
            ?? LocalizableText("mistake.theme.sections"))
      }
    }
    if file.name.isEmpty { wrong(1, "mistake.theme.noName") }
    return file
  }

  private mutating func readHead(_ table: TOMLTable, into file: inout ThemeFile) {
    for entry in table.entries {
      guard let text = entry.value.string else {
        wrongKind("mistake.theme.unquoted", entry)
        continue
      }
      switch entry.key {
      case "name": file.name = text
      case "inherits": (file.inherits, file.inheritsLine) = (text, entry.line)
      case "kind":
        file.kind = Theme.Brightness(rawValue: text)
        if file.kind == nil {
          wrong(entry.line, "mistake.theme.unknownKind", ["kind": text])
        }
      default:
        wrong(
          entry.line, "mistake.theme.unknownKey", ["key": entry.key],
          suggestion(for: entry.key, among: ["name", "kind", "inherits"])
            ?? LocalizableText("mistake.theme.places"))
      }
    }
  }

  private mutating func readPalette(_ table: TOMLTable) {
    for entry in table.entries {
      if entry.key == "on" || Attributes.named[entry.key] != nil || entry.key == "-" {
        wrong(entry.line, "mistake.theme.reserved", ["word": entry.key])
      } else if let number = entry.value.integer, let index = UInt8(exactly: number) {
        palette[entry.key] = .indexed(index)
      } else if let text = entry.value.string {
        if let color = color(text, line: entry.line) { palette[entry.key] = color }
      } else {
        wrong(entry.line, "mistake.theme.noColour", ["word": entry.key])
      }
    }
  }

  private mutating func readStyles(
    _ table: TOMLTable, isMono: Bool = false
  ) -> RoleStyles {
    var styles = RoleStyles()
    for entry in table.entries {
      guard let role = roles[entry.key] else {
        wrong(
          entry.line, "mistake.theme.unknownRole", ["role": entry.key],
          suggestion(for: entry.key, among: roles.keys.sorted()))
        continue
      }
      guard let text = entry.value.string else {
        wrongKind("mistake.theme.noStyle", entry)
        continue
      }
      guard let style = style(text, line: entry.line) else { continue }
      if isMono, style.foreground != nil || style.background != nil {
        wrong(entry.line, "mistake.theme.monoColour", ["role": entry.key])
      }
      styles[role] = style
    }
    return styles
  }

  /// Parses `[fg] [on bg] [attributes]`.
  private mutating func style(_ text: String, line: Int) -> ThemeFile.Style? {
    var style = ThemeFile.Style()
    var isBackground = false
    // By bytes: finding the boundaries of characters takes most of the time of parsing a theme.
    for part in text.utf8.split(separator: UInt8(ascii: " ")) {
      let word = String(Substring(part))
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
          line, "mistake.theme.extraWord", ["word": word],
          suggestion(for: word, among: Attributes.named.keys.sorted())
            ?? LocalizableText("mistake.theme.style"))
        return nil
      }
    }
    if isBackground, style.background == nil {
      wrong(line, "mistake.theme.noBackground")
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
      line, "mistake.theme.unknownColour", ["word": word],
      word.first == "#" || word.allSatisfy(\.isNumber)
        ? LocalizableText("mistake.theme.digits")
        : suggestion(
          for: word, among: palette.keys.sorted() + Color.ansiNames + Attributes.named.keys.sorted()
        )
          ?? LocalizableText("mistake.theme.unnamed"))
    return nil
  }

  private func suggestion(for word: String, among known: [String]) -> LocalizableText? {
    Spelling.nearest(to: word, among: known).map {
      LocalizableText("mistake.theme.nearest", ["nearest": .verbatim($0)])
    }
  }

  /// - Parameter advice: the advice for a correction, if `key`'s text does not contain it.
  private mutating func wrong(
    _ line: Int, _ key: String, _ arguments: [String: String] = [:],
    _ advice: LocalizableText? = nil
  ) {
    var error = TOMLError(line: line, LocalizableText(key, arguments.mapValues { .verbatim($0) }))
    if let advice { error.sentences.append(advice) }
    errors.append(error)
  }

  /// Reports a value that is not text.
  private mutating func wrongKind(_ key: String, _ entry: TOMLTable.Entry) {
    errors.append(
      TOMLError(
        line: entry.line,
        LocalizableText(key, ["key": .verbatim(entry.key), "found": entry.value.kindName])))
  }
}
