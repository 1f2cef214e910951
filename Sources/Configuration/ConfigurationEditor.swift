import FoundationEssentials
import NatterCore
import TOML
import XMPP

/// Changes single settings in `config.toml` and leaves everything else in it as the person wrote it: comments, order,
/// keys that are not known.
package struct ConfigurationEditor: Sendable {
  private static let sizeLimit = 1 << 20

  private let path: String
  private let file: ConfigurationFile

  /// - Parameters:
  ///   - path: the file; it need not be there. Where it is a symbolic link, what it leads to is changed.
  ///   - names: the themes and languages that there are.
  package init(path: String, names: KnownNames) {
    self.path = URL(filePath: path).resolvingSymlinksInPath().path
    file = ConfigurationFile(names: names, file: URL(filePath: path).lastPathComponent)
  }

  /// Writes one setting.
  /// - Parameter value: as the person types it, without quotation marks; `nil` takes it out of the file.
  /// - Returns: the settings as they are then.
  /// - Throws: `NatterError` when the value is no good or the file cannot be written; it is as before then.
  package func set(_ setting: Setting, to value: String?) throws -> Settings {
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
    // A line that cannot be told apart from others is left to the person.
    guard
      problems.allSatisfy({ old.contains($0.sentences) }),
      written == nil || setting.text(in: settings) == written
    else { throw NatterError(.storage, "error.settingsTangled", ["path": path]) }
    do {
      try PrivateFile.replace(path, with: Data(after.utf8))
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
    case .text, .address, .choice, .name, .hours: text = TOMLValue.quoted(value)
    }
    let (settings, problems) = file.read("[\(setting.section)]\n\(setting.key) = \(text)\n")
    guard problems.isEmpty, setting.text(in: settings) != nil else {
      throw NatterError(
        .invalidInput, "error.badSetting", ["key": setting.key, "value": value])
    }
    return setting.text(in: settings) ?? text
  }

  /// The file's text with the line of `setting` changed, added or taken away.
  /// - Parameter value: as it stands in the file.
  static func text(_ text: String, with value: String?, for setting: Setting) -> String {
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    if lines.last == "" { lines.removeLast() }
    let head = lines.firstIndex { name(ofHead: $0) == setting.section }
    guard let head else {
      guard let value else { return text }
      if !lines.isEmpty { lines.append("") }
      lines += ["[\(setting.section)]", "\(setting.key) = \(value)"]
      return lines.joined(separator: "\n") + "\n"
    }
    let end =
      lines[(head + 1)...].firstIndex { name(ofHead: $0) != nil } ?? lines.count
    if let line = (head + 1..<end).first(where: { key(of: lines[$0]) == setting.key }) {
      let last = lastLine(ofValueAt: line, in: lines)
      if let value {
        let comment = line == last ? trailingComment(of: lines[line]) : ""
        let indent = lines[line].prefix { $0 == " " || $0 == "\t" }
        lines.replaceSubrange(line...last, with: ["\(indent)\(setting.key) = \(value)\(comment)"])
      } else {
        lines.removeSubrange(line...last)
      }
    } else if let value {
      let new = "\(setting.key) = \(value)"
      let commented = (head + 1..<end).first {
        let bare = lines[$0].drop { $0 == " " || $0 == "\t" }
        return bare.first == "#" && key(of: String(bare.dropFirst())) == setting.key
      }
      // Below the line that tells of it, as in the file that --print-config makes; else below the last of its section.
      let last = (head..<end).last { !lines[$0].allSatisfy(\.isWhitespace) } ?? head
      lines.insert(new, at: (commented ?? last) + 1)
    }
    return lines.joined(separator: "\n") + "\n"
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
    guard let sign = bare.firstIndex(of: "="), bare.first != "#" else { return nil }
    let name = bare[..<sign].filter { $0 != " " && $0 != "\t" && $0 != "\"" && $0 != "'" }
    return name.isEmpty ? nil : name
  }

  /// An array may go on over several lines.
  private static func lastLine(ofValueAt line: Int, in lines: [String]) -> Int {
    for last in line..<lines.count {
      if (try? TOMLDocument.parse(lines[line...last].joined(separator: "\n"))) != nil {
        return last
      }
      if last - line > 200 { break }
    }
    return line
  }

  /// The comment behind a value, with the blanks before it.
  private static func trailingComment(of line: String) -> String {
    var quote: Character?
    var isEscaped = false
    for index in line.indices {
      let character = line[index]
      if let open = quote {
        if isEscaped {
          isEscaped = false
        } else if character == "\\", open == "\"" {
          isEscaped = true
        } else if character == open {
          quote = nil
        }
      } else if character == "\"" || character == "'" {
        quote = character
      } else if character == "#" {
        let before = line[..<index].reversed().prefix { $0 == " " || $0 == "\t" }
        return String(before.reversed()) + line[index...]
      }
    }
    return ""
  }
}

extension Setting {
  /// What it can be, for a page of settings.
  package enum Form: Hashable, Sendable {
    case boolean
    case choice([String])
    case number(ClosedRange<Int>)
    case text
  }

  /// - Parameter names: the themes and languages that there are.
  package func form(names: KnownNames) -> Form {
    switch kind {
    case .boolean: .boolean
    case .integer(_, let range): .number(range)
    case .choice(let choice): .choice(choice.values)
    case .name(_, let known, let allowsAuto):
      .choice((allowsAuto ? ["auto"] : []) + names[keyPath: known])
    case .text, .address, .texts, .hours: .text
    }
  }

  /// What it is in `settings`, as a person reads it; empty for none.
  package func plainText(in settings: Settings) -> String {
    switch kind {
    case .boolean(let path): String(settings[keyPath: path])
    case .integer(let path, _): settings[keyPath: path].map { String($0) } ?? ""
    case .text(let path): settings[keyPath: path] ?? ""
    case .address(let path): settings[keyPath: path]?.description ?? ""
    case .hours(let path): settings[keyPath: path]?.text ?? ""
    case .texts(let path): settings[keyPath: path].joined(separator: " ")
    case .name(let path, _, _): settings[keyPath: path]
    case .choice(let choice): choice.value(settings)
    }
  }
}
