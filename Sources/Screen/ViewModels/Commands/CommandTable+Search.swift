import Text

// The commands in the search of palette and help.
extension CommandTable {
  /// The terms by which the search finds each command besides its syntax and description, by the
  /// command's name: its other names and its synonyms.
  package func searchTerms(_ localizer: Localizer) -> [String: String] {
    let names = otherNames
    return Dictionary(
      all.map { command -> (String, String) in
        let synonyms = localizer.synonyms(of: "command.\(command.name)")
        return (command.name, ((names[command.name] ?? []) + [synonyms]).joined(separator: " "))
      }, uniquingKeysWith: { first, _ in first })
  }

  /// The entries of the help: the syntax of each command, its description and its names in the
  /// user's language.
  package func helpEntries(_ localizer: Localizer) -> [HelpEntry] {
    let translated = translated
    let terms = searchTerms(localizer)
    return all.map { command -> HelpEntry in
      let names = translated.filter { $0.command.name == command.name }.map { "/" + $0.name }
      let summary = localizer.summary(of: command)
      let text =
        names.isEmpty
        ? summary
        : localizer("help.named", ["summary": summary, "names": localizer.list(names)])
      return HelpEntry(
        localizer.usage(of: command), text, synonyms: terms[command.name] ?? "")
    }
  }
}
