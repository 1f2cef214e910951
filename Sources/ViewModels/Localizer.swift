/// The texts of one language: everything a person reads comes from here (Resources/locales).
nonisolated package struct Localizer: Sendable {
  /// The language's tag, as `en`, `fr`, `zh-Hans`.
  package let tag: String
  private let texts: [String: String]
  private let fallback: [String: String]

  /// - Parameters:
  ///   - texts: key → text with `{name}` placeholders.
  ///   - fallback: English, for keys that `texts` lacks.
  package init(tag: String, texts: [String: String], fallback: [String: String] = [:]) {
    self.tag = tag
    self.texts = texts
    self.fallback = fallback
  }

  /// The text for `key`, its placeholders filled; the key itself when no language has it.
  package func callAsFunction(_ key: String, _ arguments: [String: String] = [:]) -> String {
    let text = texts[key] ?? fallback[key] ?? key
    guard !arguments.isEmpty, text.contains("{") else { return text }
    var result = ""
    var rest = text[...]
    while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
      result += rest[..<open]
      let name = String(rest[rest.index(after: open)..<close])
      result += arguments[name] ?? "{\(name)}"
      rest = rest[rest.index(after: close)...]
    }
    return result + rest
  }

  /// The text for `key` in the plural form `count` asks for: `key.one` or `key.other`, with `{count}` filled.
  package func plural(_ key: String, _ count: Int, _ arguments: [String: String] = [:]) -> String {
    let form =
      switch tag {
      case "fr": count == 0 || count == 1 ? "one" : "other"
      case "zh-Hans": "other"
      default: count == 1 ? "one" : "other"
      }
    var arguments = arguments
    arguments["count"] = String(count)
    return self("\(key).\(form)", arguments)
  }
}
