// The commands in the search of palette and help.
extension CommandTable {
  /// The terms by which the search finds each command besides its syntax and description, by the
  /// command's name: its other names and its synonyms.
  package func searchTerms(_ localizer: Localizer) -> [String: String] {
    let names = otherNames
    return Dictionary(
      commands.map { command -> (String, String) in
        let synonyms = localizer.synonyms(of: "command.\(command.name)")
        return (command.name, ((names[command.name] ?? []) + [synonyms]).joined(separator: " "))
      }, uniquingKeysWith: { first, _ in first })
  }
}
