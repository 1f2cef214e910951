import Configuration
import FoundationEssentials
import Text
import ViewModels

// Which language the program speaks, and where that is known from.
extension LaunchContext {
  /// The texts of the language that the command line or else the settings ask for.
  /// - Parameter localizer: the texts of the command line's language, or the environment's.
  /// - Throws: `MissingResources`, `CommandFailure`.
  static func localizer(
    _ options: CommandLineOptions, _ settings: Settings, _ paths: Paths,
    _ environment: [String: String], _ resources: URL, else localizer: Localizer
  ) throws -> Localizer {
    let folders = LanguageChoice.folders(resources: resources, config: paths.config)
    let wanted = options.language ?? settings.ui.language
    let hasOwn = FileManager.default.fileExists(atPath: folders[1].path)
    guard hasOwn || options.language == nil && wanted != "auto" && wanted != localizer.tag else {
      return localizer
    }
    return try LanguageChoice.localizer(
      LanguageChoice.tag(
        wanted: wanted, environment: environment,
        available: LanguageChoice.available(in: folders)), in: folders)
  }

  /// The same without any directory or configuration, as for help: it works even where those are
  /// unusable, and the code that needs them reports that.
  static func localizer(
    _ options: CommandLineOptions, _ environment: [String: String], _ resources: URL,
    else localizer: Localizer
  ) -> Localizer {
    guard
      let paths = try? Paths(
        environment: environment, profile: options.profile, config: options.config)
    else { return localizer }
    let read = try? settings(options, paths, localizer, resources)
    let own = try? Self.localizer(
      options, read?.settings ?? Settings(), paths, environment, resources, else: localizer)
    return own ?? localizer
  }

  /// The languages and themes that settings can name; only the shipped ones if the user's own
  /// directories are unusable.
  static func names(
    _ options: CommandLineOptions, _ environment: [String: String], _ resources: URL
  ) -> KnownNames {
    let config = try? Paths(
      environment: environment, profile: options.profile, config: options.config
    ).config
    return LanguageChoice.names(
      in: LanguageChoice.folders(resources: resources, config: config),
      themes: ThemeLibrary(
        directories: [config, resources].compactMap { $0?.appending(path: "themes") }
      ).names)
  }

  /// - Throws: `CommandFailure` where the command line asks for a theme that there is not.
  static func checkTheme(
    _ options: CommandLineOptions, _ environment: [String: String], _ resources: URL,
    _ localizer: Localizer
  ) throws(CommandFailure) {
    guard let wanted = options.theme, wanted != "auto" else { return }
    // As above.
    guard
      let paths = try? Paths(
        environment: environment, profile: options.profile, config: options.config)
    else { return }
    let known = ThemeLibrary.standard(paths: paths, resources: resources).names
    guard !known.contains(wanted) else { return }
    throw CommandFailure(
      code: .usage,
      text: localizer("cli.no-theme", ["name": wanted, "known": known.joined(separator: ", ")]))
  }

  /// Reads a line of standard input, and whether it means yes in the user's language; EOF does not.
  func readsYes() -> Bool {
    let answer = (readLine() ?? "").trimmed.lowercased()
    return localizer("cli.delete-data-yes").split(separator: " ").contains { $0 == answer }
  }

  /// - Throws: `CommandFailure` where the command line asks for a language that there is not.
  static func checkLanguage(
    _ options: CommandLineOptions, _ environment: [String: String], _ resources: URL,
    _ localizer: Localizer
  ) throws(CommandFailure) {
    guard let wanted = options.language else { return }
    // An unusable directory is reported by the code that needs it.
    let paths = try? Paths(
      environment: environment, profile: options.profile, config: options.config)
    let available = LanguageChoice.available(
      in: LanguageChoice.folders(resources: resources, config: paths?.config))
    guard !LanguageChoice.isKnown(wanted, available) else { return }
    throw CommandFailure(
      code: .usage,
      text: localizer(
        "cli.no-language", ["name": wanted, "known": available.joined(separator: ", ")]))
  }
}
