import NatterCore
import TOML
import XMPP

/// Names that are known only at run time: those of the existing files.
package struct KnownNames: Sendable {
  /// Empty: any name is valid.
  package var themes: [String]
  package var languages: [String]
  /// Returns whether the name is an alias of a language, like `zh_CN`.
  let isLanguage: @Sendable (String) -> Bool

  package init(
    themes: [String] = [], languages: [String] = [],
    isLanguage: @escaping @Sendable (String) -> Bool = { _ in false }
  ) {
    self.themes = themes
    self.languages = languages
    self.isLanguage = isLanguage
  }
}

/// One key of `config.toml`: its name, its values, its documentation, and its property of
/// `Settings`.
package struct Setting: Sendable {
  package let section: String
  package let key: String
  /// A description in one or more sentences, for `--print-config`.
  package let comment: String
  /// Shown if there is no default.
  let example: String?
  let kind: ValueKind

  enum ValueKind: Sendable {
    case boolean(any WritableKeyPath<Settings, Bool> & Sendable)
    case integer(any WritableKeyPath<Settings, Int?> & Sendable, ClosedRange<Int>)
    case text(any WritableKeyPath<Settings, String?> & Sendable)
    /// A host, optionally with a port after a colon.
    case server(
      any WritableKeyPath<Settings, String?> & Sendable,
      port: any WritableKeyPath<Settings, Int?> & Sendable)
    case address(any WritableKeyPath<Settings, JID?> & Sendable)
    case texts(any WritableKeyPath<Settings, [String]> & Sendable)
    case hours(any WritableKeyPath<Settings, DayHours?> & Sendable)
    case choice(ChoiceSetting)
    /// One of the known names, or `auto` if that is allowed.
    case name(
      any WritableKeyPath<Settings, String> & Sendable,
      any KeyPath<KnownNames, [String]> & Sendable,
      allowsAuto: Bool)
  }

  init(
    _ section: String, _ key: String, _ kind: ValueKind, example: String? = nil, _ comment: String
  ) {
    self.section = section
    self.key = key
    self.kind = kind
    self.example = example
    self.comment = comment
  }

  /// The default in TOML notation; `nil` if there is none.
  package var defaultText: String? { text(in: Settings()) }

  /// Returns the value in `settings` in TOML notation.
  func text(in settings: Settings) -> String? {
    switch kind {
    case .boolean(let path): String(settings[keyPath: path])
    case .integer(let path, _): settings[keyPath: path].map { String($0) }
    case .text(let path), .server(let path, _): settings[keyPath: path].map(TOMLValue.quoted)
    case .address(let path): settings[keyPath: path].map { TOMLValue.quoted($0.description) }
    case .hours(let path): settings[keyPath: path].map { TOMLValue.quoted($0.text) }
    case .name(let path, _, _): TOMLValue.quoted(settings[keyPath: path])
    case .choice(let choice): TOMLValue.quoted(choice.value(settings))
    case .texts(let path):
      settings[keyPath: path].isEmpty
        ? nil : "[" + settings[keyPath: path].map(TOMLValue.quoted).joined(separator: ", ") + "]"
    }
  }

  /// Returns the value in `settings`; `nil` if there is none.
  package func value(in settings: Settings) -> TOMLValue.ValueType? {
    switch kind {
    case .boolean(let path): .boolean(settings[keyPath: path])
    case .integer(let path, _): settings[keyPath: path].map { .integer($0) }
    case .text(let path), .server(let path, _): settings[keyPath: path].map { .string($0) }
    case .address(let path): settings[keyPath: path].map { .string($0.description) }
    case .hours(let path): settings[keyPath: path].map { .string($0.text) }
    case .name(let path, _, _): .string(settings[keyPath: path])
    case .choice(let choice): .string(choice.value(settings))
    case .texts(let path):
      settings[keyPath: path].isEmpty
        ? nil : .array(settings[keyPath: path].map { TOMLValue(.string($0), line: 0) })
    }
  }

  /// Indicates whether the value may have a password or a token: a command line with arguments, or
  /// a URL.
  package var mayHaveSecret: Bool {
    if case .texts = kind { return true }
    return key.hasSuffix("_url")
  }

  /// Stores `value` in `settings`.
  /// - Returns: the error, without the sentence about the value that is used instead; `nil` if
  ///   valid.
  func apply(_ value: TOMLValue, to settings: inout Settings, names: KnownNames) -> LocalizableText?
  {
    switch kind {
    case .boolean(let path):
      guard let boolean = value.boolean else { return mistyped(value, "mistake.kind.boolean") }
      settings[keyPath: path] = boolean
    case .integer(let path, let range):
      guard let integer = value.integer else { return mistyped(value, "mistake.kind.integer") }
      guard range.contains(integer) else {
        return wrong(
          "mistake.config.range",
          ["least": String(range.lowerBound), "most": String(range.upperBound)])
      }
      settings[keyPath: path] = integer
    case .text(let path):
      guard let text = value.string else { return mistyped(value) }
      guard !text.isEmpty else { return wrong("mistake.config.empty") }
      settings[keyPath: path] = text
    case .server(let path, let port):
      guard let text = value.string else { return mistyped(value) }
      guard !text.isEmpty else { return wrong("mistake.config.empty") }
      // A path is that of a socket.
      guard !text.hasPrefix("/") else {
        settings[keyPath: path] = text
        break
      }
      guard let server = ServerName(text) else {
        return wrong("mistake.config.server", ["example": example ?? "\"xmpp.example.org\""])
      }
      settings[keyPath: path] = server.host
      // A port with a line of its own takes precedence, before or after this one.
      if settings[keyPath: port] == nil { settings[keyPath: port] = server.port }
    case .address(let path):
      guard let text = value.string else { return mistyped(value) }
      guard let address = JID(parsing: text) ?? JID(userInputAsShown: text), address.isBare,
        address.local != nil
      else {
        return wrong("mistake.config.address", ["example": "\"alice@example.org\""])
      }
      settings[keyPath: path] = address
    case .hours(let path):
      guard let text = value.string else { return mistyped(value) }
      guard let hours = DayHours(text) else {
        return wrong("mistake.config.hours", ["example": example ?? "\"07:00-19:00\""])
      }
      settings[keyPath: path] = hours
    case .texts(let path):
      guard let texts = value.strings, !texts.isEmpty, texts.first != "" else {
        return wrong("mistake.config.texts", ["example": example ?? "[\"a\", \"b\"]"])
      }
      settings[keyPath: path] = texts
    case .choice(let choice):
      guard let text = value.string else { return mistyped(value) }
      guard choice.set(&settings, text) else { return unknown(text, among: choice.values) }
    case .name(let path, let known, let allowsAuto):
      guard let text = value.string else { return mistyped(value) }
      let candidates = names[keyPath: known] + (allowsAuto ? ["auto"] : [])
      guard
        names[keyPath: known].isEmpty || candidates.contains(text)
          || known as AnyKeyPath == \KnownNames.languages && names.isLanguage(text)
      else {
        return unknown(text, among: candidates)
      }
      settings[keyPath: path] = text
    }
    return nil
  }

  /// - Parameter sentence: the key of its text, which has this setting's key as `{key}`.
  private func wrong(_ sentence: String, _ arguments: [String: String] = [:]) -> LocalizableText {
    LocalizableText(sentence, arguments.merging(["key": key]) { $1 }.mapValues { .verbatim($0) })
  }

  private func mistyped(
    _ value: TOMLValue, _ wanted: String = "mistake.kind.string"
  ) -> LocalizableText {
    LocalizableText(
      "mistake.config.kind",
      ["key": .verbatim(key), "wanted": .named(wanted), "found": value.kindName])
  }

  private func unknown(_ text: String, among candidates: [String]) -> LocalizableText {
    let value = TOMLValue.quoted(text)
    if let nearest = Spelling.nearest(to: text, among: candidates) {
      return wrong(
        "mistake.config.valueNear", ["value": value, "nearest": TOMLValue.quoted(nearest)])
    }
    return wrong(
      "mistake.config.unknownValue",
      ["value": value, "choices": candidates.map(TOMLValue.quoted).joined(separator: ", ")])
  }
}

/// Reads and writes a setting of a closed list, independent of its type.
struct ChoiceSetting: Sendable {
  let values: [String]
  let value: @Sendable (Settings) -> String
  /// Returns `false` if the text is none of the values.
  let set: @Sendable (inout Settings, String) -> Bool

  init<Value: RawRepresentable<String> & CaseIterable & SendableMetatype>(
    _ path: any WritableKeyPath<Settings, Value> & Sendable
  ) {
    values = Value.allCases.map(\.rawValue)
    value = { $0[keyPath: path].rawValue }
    set = { settings, text in
      guard let value = Value(rawValue: text) else { return false }
      settings[keyPath: path] = value
      return true
    }
  }
}
