import NatterCore

/// The texts of one language: every text of the interface comes from here (Resources/locales).
///
/// A catalogue is flat: `section.key` of the file is the key here. The forms of a plural are the
/// entries `key.one` and `key.other`.
nonisolated package struct Localizer: Sendable {
  /// The language's tag, such as `en`, `fr`, `zh-Hans`.
  package let tag: String
  private let texts: Texts
  private let fallback: Texts

  /// A function from a key to its text with `{name}` placeholders; `nil` for a key that a language
  /// lacks.
  package typealias Texts = @Sendable (String) -> String?

  /// - Parameters:
  ///   - texts: the texts of this language.
  ///   - fallback: English, for keys that `texts` lacks.
  package init(tag: String, texts: @escaping Texts, fallback: @escaping Texts = { _ in nil }) {
    self.tag = tag
    self.texts = texts
    self.fallback = fallback
  }

  /// Creates the same from dictionaries.
  package init(tag: String, texts: [String: String], fallback: [String: String] = [:]) {
    self.init(tag: tag, texts: { texts[$0] }, fallback: { fallback[$0] })
  }

  /// Returns the same texts with some keys redirected.
  /// - Parameter others: from a key to the key whose text replaces it.
  package func saying(_ others: [String: String]) -> Localizer {
    Localizer(
      tag: tag, texts: { [texts] in texts(others[$0] ?? $0) },
      fallback: { [fallback] in fallback(others[$0] ?? $0) })
  }

  /// Returns the text for `key` with its placeholders filled; the key itself if no language has it.
  ///
  /// Placeholders without an argument stay as they are, and braces within an argument are not
  /// interpreted: arguments are remote data.
  package func callAsFunction(_ key: String, _ arguments: [String: String] = [:]) -> String {
    filled(texts(key) ?? fallback(key) ?? key, arguments)
  }

  /// Returns the text for `key` in the plural form for `count`, with `{count}` filled.
  ///
  /// A text that is missing in this language comes from English, by the English rule.
  package func plural(_ key: String, _ count: Int, _ arguments: [String: String] = [:]) -> String {
    var arguments = arguments
    arguments["count"] = String(count)
    let text =
      Self.form(of: key, for: count, in: texts, rule: PluralRule(tag: tag))
      ?? Self.form(of: key, for: count, in: fallback, rule: .oneOnly)
    return filled(text ?? key, arguments)
  }

  /// The language's name in the language itself.
  package var languageName: String { texts("app.language") ?? tag }

  /// Returns true if this language or English has a text for `key`.
  package func has(_ key: String) -> Bool { texts(key) != nil || fallback(key) != nil }

  /// Returns the synonyms of an action (`key.NAME`) or a command (`command.NAME`), such as its
  /// names in other programs, in this language and in English; empty if there are none. They are
  /// searched, and never shown.
  package func synonyms(of name: String) -> String {
    let key = "synonyms.\(name)"
    return [texts(key), fallback(key)].compactMap { $0 }.joined(separator: ", ")
  }

  /// Returns the sentence of a notice.
  package func callAsFunction(_ notice: StatusNotice) -> String {
    self(notice.key, notice.arguments)
  }

  /// Returns the sentence of an error.
  package func callAsFunction(_ error: NatterError) -> String { self(error.key, error.arguments) }

  private static func form(
    of key: String, for count: Int, in texts: Texts, rule: PluralRule
  ) -> String? {
    texts("\(key).\(rule.form(for: count))") ?? texts("\(key).other")
  }

  private func filled(_ text: String, _ arguments: [String: String]) -> String {
    guard !arguments.isEmpty, text.contains("{") else { return text }
    var result = ""
    var rest = text[...]
    while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
      result += String(rest[..<open])
      let name = String(rest[rest.index(after: open)..<close])
      result += argument(name, of: arguments) ?? "{\(name)}"
      rest = rest[rest.index(after: close)...]
    }
    return result + String(rest)
  }

  /// Returns the replacement of a placeholder: of `{name}` the argument; of `{name:bytes}` the
  /// number as a size; of `{name:system}` the system error of that number (errno); of `{name:list}`
  /// the comma-separated parts as a list of the language; of `{name:stanza}` the stanza error of
  /// that name (RFC 6120 §8.3.3), with the peer's text from the argument `text`; of `{name:said}` a
  /// quotation of the speaker in the argument `speaker`. An argument that does not fit its format
  /// stays as it is.
  private func argument(_ name: String, of arguments: [String: String]) -> String? {
    if let argument = arguments[name] { return Self.isolated(argument) }
    guard let colon = name.firstIndex(of: ":"), let argument = arguments[String(name[..<colon])]
    else { return nil }
    let reported: String? =
      switch name[name.index(after: colon)...] {
      case "bytes": Int(argument).map(size)
      case "system": Int(argument).map(systemError)
      case "stanza":
        has("stanza.\(argument)")
          ? self("stanza.\(argument)", ["text": ""].merging(arguments) { $1 }).trimmed : nil
      case "list": Self.isolated(list(argument.split(separator: ", ").map(String.init)))
      case "said": said(argument, by: arguments["speaker"])
      default: nil
      }
    return reported ?? Self.isolated(argument)
  }

  /// Returns remote text as a quotation with its source.
  /// - Parameter speaker: a name or an address; `nil`: a server of unknown name; empty: uncertain,
  ///   so that no source is named.
  package func said(_ text: String, by speaker: String?) -> String {
    guard !text.isEmpty else { return "" }
    guard let speaker else { return self("said.byServer", ["text": text]) }
    guard !speaker.isEmpty else { return self("said.byUnknown", ["text": text]) }
    return self("said.by", ["name": speaker, "text": text])
  }

  private func systemError(_ number: Int) -> String {
    let key = "error.system.\(number)"
    return has(key) ? self(key) : self("error.system.unknown", ["number": String(number)])
  }

  /// Returns several names or facts as a list in the style of the language.
  package func list(_ parts: [String]) -> String {
    parts.joined(separator: has("list.separator") ? self("list.separator") : ", ")
  }

  /// Returns a number of bytes as a size in the style of the language.
  package func size(_ count: Int) -> String {
    let units = self("number.units").split(separator: " ").map(String.init)
    return ByteCount.text(
      count, units: units.count == ByteCount.units.count ? units : ByteCount.units,
      point: has("number.point") ? self("number.point") : ".")
  }
}

extension Localizer {
  /// Isolates an argument with right-to-left text from the sentence around it (UAX #9 §2.7); the
  /// isolating characters are invisible.
  nonisolated fileprivate static func isolated(_ argument: String) -> String {
    // Hebrew begins at U+0590, whose first byte is 0xD6.
    guard argument.utf8.contains(where: { $0 >= 0xD6 && $0 <= 0xDF || $0 == 0xE0 || $0 >= 0xEF }),
      argument.unicodeScalars.contains(where: { turns($0.value) })
    else { return argument }
    return "\u{2068}\(argument)\u{2069}"
  }

  nonisolated private static func turns(_ value: UInt32) -> Bool {
    switch value {
    case 0x590...0x8FF, 0xFB1D...0xFDFF, 0xFE70...0xFEFC, 0x10800...0x10FFF, 0x1E800...0x1EFFF:
      true
    default: false
    }
  }
}

/// The numbers that take the form `one` (CLDR plural rules, cardinal, integers).
nonisolated private enum PluralRule {
  /// English and most European languages.
  case oneOnly
  /// French: 0 and 1.
  case zeroAndOne
  /// Chinese, Japanese, Korean and others: a single form.
  case never

  init(tag: String) {
    switch tag.prefix(while: { $0 != "-" && $0 != "_" }) {
    case "fr": self = .zeroAndOne
    case "zh", "ja", "ko", "vi", "th", "id": self = .never
    default: self = .oneOnly
    }
  }

  func form(for count: Int) -> String {
    switch self {
    case .oneOnly: count == 1 ? "one" : "other"
    case .zeroAndOne: count == 0 || count == 1 ? "one" : "other"
    case .never: "other"
    }
  }
}
