import Configuration
import Dispatch
import FoundationEssentials
import System
import Text
import ViewModels

/// The choice of the program's language (interface.md, "Languages").
nonisolated enum LanguageChoice {
  /// The folders of languages: those shipped, then the user's own, which take precedence.
  static func folders(resources: URL, config: URL? = nil) -> [URL] {
    [resources, config].compactMap { $0?.appending(path: "locales") }
  }

  /// The tags of the available languages: each a folder, or a single file.
  static func available(in folders: [URL]) -> [String] {
    let names = folders.flatMap { DirectoryNames.all(in: $0.path) }
    return Set(names.map { $0.hasSuffix(".toml") ? String($0.dropLast(5)) : $0 })
      .filter { !$0.contains(".") }.sorted()
  }

  /// The names that settings can use: these themes, and the available languages, by any name that
  /// matches one of them.
  static func names(in folders: [URL], themes: [String]) -> KnownNames {
    let available = available(in: folders)
    return KnownNames(themes: themes, languages: available) { isKnown($0, available) }
  }

  /// The best of `available` for the requested language, else for the environment's variables in
  /// their order, else English.
  static func tag(wanted: String?, environment: [String: String], available: [String]) -> String {
    choice(wanted: wanted, environment: environment, available: available).tag
  }

  /// Returns whether a Chinese other than the available one was requested: the user gets a notice
  /// (interface.md, "Languages").
  static func isOtherChinese(
    wanted: String?, environment: [String: String], available: [String]
  ) -> Bool {
    let (tag, asked) = choice(wanted: wanted, environment: environment, available: available)
    guard tag == "zh-Hans", asked.hasPrefix("zh-") else { return false }
    return asked != "zh-cn" && asked != "zh-sg" && !asked.hasPrefix("zh-hans")
  }

  /// The chosen tag, and the request that it answers.
  private static func choice(
    wanted: String?, environment: [String: String], available: [String]
  ) -> (tag: String, asked: String) {
    if let wanted, wanted != "auto", let found = match(wanted, available) {
      return (found, plain(wanted))
    }
    for variable in ["LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"] {
      for value in (environment[variable] ?? "").split(separator: ":") {
        if let found = match(String(value), available) { return (found, plain(String(value))) }
        // The first variable that is set decides, but LANGUAGE is a list of preferences.
        if variable != "LANGUAGE" { return ("en", "") }
      }
    }
    return ("en", "")
  }

  /// The languages that the user reads, the preferred one first: those of the environment, for
  /// which Natter may have no texts, with the program's language before them where it was chosen
  /// against them.
  static func read(besides tag: String, _ environment: [String: String]) -> [String] {
    var all: [String] = []
    for variable in ["LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"] {
      guard let value = environment[variable], !value.isEmpty else { continue }
      for name in value.split(separator: ":").map({ plain(String($0)) })
      where !["", "c", "posix"].contains(name) && !all.contains(name) {
        all.append(name)
      }
      if variable != "LANGUAGE" { break }
    }
    func language(_ tag: String) -> Substring { tag.lowercased().prefix { $0 != "-" } }
    let isOfEnvironment = all.contains { language($0) == language(tag) }
    return isOfEnvironment ? all + [tag] : [tag] + all
  }

  /// Returns whether there is a language for `wanted`.
  static func isKnown(_ wanted: String, _ available: [String]) -> Bool {
    wanted == "auto" || match(wanted, available) != nil
  }

  /// The texts of an available language, with English for what it lacks.
  /// - Throws: `MissingResources`, `CommandFailure`.
  static func localizer(_ tag: String, in folders: [URL]) throws -> Localizer {
    let english = try LocaleCatalogue("en", in: folders)
    guard tag != "en" else { return Localizer(tag: "en", texts: english.text) }
    return Localizer(
      tag: tag, texts: try LocaleCatalogue(tag, in: folders).text, fallback: english.text)
  }

  /// The name of a language in itself.
  static func name(of tag: String, in folders: [URL]) -> String {
    (try? LocaleCatalogue(tag, in: folders))?.text("app.language") ?? tag
  }

  /// An available language.
  struct Named: Sendable {
    let tag: String
    /// Its name in itself.
    let name: String
  }

  /// The available languages, read on a separate thread.
  static func all(in folders: [URL]) async -> [Named] {
    await withCheckedContinuation { continuation in
      DispatchQueue(label: "natter.languages", qos: .utility).async {
        continuation.resume(
          returning: available(in: folders).map { Named(tag: $0, name: name(of: $0, in: folders)) })
      }
    }
  }

  /// `zh_CN.UTF-8` becomes `zh-cn`.
  private static func plain(_ text: String) -> String {
    String(text.prefix { $0 != "." && $0 != "@" }.map { $0 == "_" ? "-" : $0 }).lowercased()
  }

  /// `zh_CN.UTF-8` finds `zh-Hans`, `fr_CA` finds `fr`.
  private static func match(_ text: String, _ available: [String]) -> String? {
    let tag = plain(text)
    if let exact = available.first(where: { $0.lowercased() == tag }) { return exact }
    let language = tag.prefix { $0 != "-" }
    if language == "zh" { return available.first { $0 == "zh-Hans" } }
    return available.first { $0.lowercased() == language }
  }
}
