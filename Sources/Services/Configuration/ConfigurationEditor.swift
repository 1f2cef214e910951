import FoundationEssentials
import NatterCore
import System
import TOML
import XMPP

/// Changes single settings in `config.toml` and leaves everything else as the user wrote it:
/// comments, order, unknown keys.
package struct ConfigurationEditor: Sendable {
  private static let sizeLimit = 1 << 20

  private let link: String
  /// The file to write: the target of `link`, which may have changed since the last time.
  private var path: String { URL(filePath: link).resolvingSymlinksInPath().path }
  private let file: ConfigurationFile

  /// - Parameters:
  ///   - path: the file; it need not exist. If it is a symbolic link, its target is changed.
  ///   - names: the available themes and languages.
  package init(path: String, names: KnownNames) {
    link = path
    file = ConfigurationFile(names: names, file: URL(filePath: path).lastPathComponent)
  }

  /// Writes one setting.
  /// - Parameter value: the value in the user's notation, without quotation marks; `nil` removes it
  ///   from the file.
  /// - Returns: the resulting settings.
  /// - Throws: `NatterError` if the value is invalid or the file cannot be written; then the file
  ///   is unchanged.
  package func set(_ setting: Setting, to value: String?) throws -> Settings {
    let path = path
    do {
      // Another instance may change another setting at the same time.
      return try PrivateFile.changing(path) { try change(setting, to: value, in: path) }
    } catch let failure as PrivateFile.Failure {
      throw NatterError(
        .storage, "error.settingsUnwritable", ["path": path, "reason": failure.reason])
    }
  }

  private func change(_ setting: Setting, to value: String?, in path: String) throws -> Settings {
    let before: String
    do {
      let content = try PrivateFile.read(path, limit: Self.sizeLimit) ?? Data()
      guard let text = String(data: content, encoding: .utf8) else {
        throw NatterError(.storage, "error.settingsUnreadable", ["path": path])
      }
      before = text
    } catch let failure as PrivateFile.Failure {
      throw failure.kind == .tooLarge
        ? NatterError(.storage, "error.settingsTooLarge", ["path": path])
        : NatterError(
          .storage, "error.settingsUnwritable", ["path": path, "reason": failure.reason])
    }
    let written = try value.map { try literal($0, of: setting) }
    let after = Self.text(before, with: written, for: setting)
    let (settings, problems) = file.read(after)
    let old = Set(file.read(before).problems.map(\.sentences))
    // A line that cannot be edited unambiguously is left to the user.
    guard
      problems.allSatisfy({ old.contains($0.sentences) }),
      written == nil || setting.text(in: settings) == written
    else { throw NatterError(.storage, "error.settingsTangled", ["path": path]) }
    do {
      try PrivateFile.replaceKeepingMode(path, with: Data(after.utf8))
    } catch  where error.kind == .readOnly {
      throw NatterError(.storage, "error.settingsReadOnly", ["path": path])
    } catch {
      throw NatterError(
        .storage, "error.settingsUnwritable", ["path": path, "reason": error.reason])
    }
    return settings
  }

  private func literal(_ value: String, of setting: Setting) throws -> String {
    let text: String
    switch setting.kind {
    case .boolean, .integer: text = value
    case .texts:
      text =
        "["
        + value.split(separator: " ").map { TOMLValue.quoted(String($0)) }
        .joined(separator: ", ") + "]"
    // The port has a setting of its own.
    case .server where ServerName(value)?.port != nil:
      throw NatterError(
        .invalidInput, "error.badSetting", ["key": setting.key, "value": value])
    case .text, .server, .address, .choice, .name, .hours: text = TOMLValue.quoted(value)
    }
    let (settings, problems) = file.read("[\(setting.section)]\n\(setting.key) = \(text)\n")
    guard problems.isEmpty, setting.text(in: settings) != nil else {
      var arguments = ["key": setting.key, "value": value]
      arguments["example"] = setting.plainExample
      throw NatterError(
        .invalidInput, arguments["example"] == nil ? "error.badSetting" : "error.badSettingLike",
        arguments)
    }
    return setting.text(in: settings) ?? text
  }

  /// Returns the file's text with the line of `setting` changed, added or removed; line ends are
  /// kept.
  /// - Parameter value: in TOML notation.
  static func text(_ text: String, with value: String?, for setting: Setting) -> String {
    var lines = TextLine.lines(of: text)
    let end = lines.commonEnd
    if let last = lines.indices.last, lines[last].end.isEmpty { lines[last].end = end }
    func line(_ text: String) -> TextLine { TextLine(text, end: end) }
    let head = lines.firstIndex { name(ofHead: $0.text) == setting.section }
    guard let head else {
      guard let value else { return text }
      if !lines.isEmpty { lines.append(line("")) }
      lines += [line("[\(setting.section)]"), line("\(setting.key) = \(value)")]
      return lines.joined
    }
    let close =
      lines[(head + 1)...].firstIndex { name(ofHead: $0.text) != nil } ?? lines.count
    if let first = (head + 1..<close).first(where: { key(of: lines[$0].text) == setting.key }) {
      let last = lastLine(ofValueAt: first, in: lines)
      let old = OldValue(lines[first...last].map(\.text), key: setting.key)
      lines.replaceSubrange(
        first...last, with: (value.map { old.replaced(by: $0) } ?? old.comments).map(line))
    } else if let value {
      let new = line("\(setting.key) = \(value)")
      let commented = (head + 1..<close).first {
        let bare = lines[$0].text.drop { $0 == " " || $0 == "\t" }
        return bare.first == "#" && key(of: String(bare.dropFirst())) == setting.key
      }
      // Below its commented-out line, as in the output of --print-config; else below the last line
      // of its section.
      let last = (head..<close).last { !lines[$0].text.allSatisfy(\.isWhitespace) } ?? head
      lines.insert(new, at: (commented ?? last) + 1)
    }
    return lines.joined
  }

  private static func name(ofHead line: String) -> String? {
    let bare = line.drop { $0 == " " || $0 == "\t" }
    guard bare.first == "[", let table = try? TOMLDocument.parse(String(bare)).tables.last,
      !table.path.isEmpty
    else { return nil }
    return table.path.joined(separator: ".")
  }

  private static func key(of line: String) -> String? {
    let bare = line.drop { $0 == " " || $0 == "\t" }
    guard let equals = bare.firstIndex(of: "="), bare.first != "#" else { return nil }
    let name = bare[..<equals].filter { $0 != " " && $0 != "\t" && $0 != "\"" && $0 != "'" }
    return name.isEmpty ? nil : name
  }

  /// An array may continue over several lines.
  private static func lastLine(ofValueAt line: Int, in lines: [TextLine]) -> Int {
    for last in line..<lines.count {
      if (try? TOMLDocument.parse(lines[line...last].map(\.text).joined(separator: "\n"))) != nil {
        return last
      }
      if last - line > 200 { break }
    }
    return line
  }
}

extension Setting {
  /// The form of its input on the settings page.
  package enum Form: Hashable, Sendable {
    case boolean
    case choice([String])
    case number(ClosedRange<Int>)
    case text
  }

  /// Indicates whether its values are names that are known only at run time.
  package var takesNames: Bool { if case .name = kind { true } else { false } }

  /// - Parameter names: the available themes and languages.
  package func form(names: KnownNames) -> Form {
    switch kind {
    case .boolean: .boolean
    case .integer(_, let range): .number(range)
    case .choice(let choice): .choice(choice.values)
    case .name(_, let known, let allowsAuto):
      .choice((allowsAuto ? ["auto"] : []) + names[keyPath: known])
    case .text, .server, .address, .texts, .hours: .text
    }
  }

  /// An example of the input, if it is neither a number nor a choice; `nil`: any text is valid.
  package var plainExample: String? {
    switch kind {
    case .boolean, .integer, .choice, .name: return nil
    case .text, .server, .address, .texts, .hours: break
    }
    guard let example, let table = try? TOMLDocument.parse("\(key) = \(example)").tables.first,
      let value = table.entries.first?.value
    else { return nil }
    var settings = Settings()
    guard apply(value, to: &settings, names: KnownNames()) == nil else { return nil }
    return plainText(in: settings)
  }

  /// The value in `settings` for display; empty for none.
  package func plainText(in settings: Settings) -> String {
    switch kind {
    case .boolean(let path): String(settings[keyPath: path])
    case .integer(let path, _): settings[keyPath: path].map { String($0) } ?? ""
    case .text(let path), .server(let path, _): settings[keyPath: path] ?? ""
    case .address(let path): settings[keyPath: path]?.description ?? ""
    case .hours(let path): settings[keyPath: path]?.text ?? ""
    case .texts(let path): settings[keyPath: path].joined(separator: " ")
    case .name(let path, _, _): settings[keyPath: path]
    case .choice(let choice): choice.value(settings)
    }
  }
}
