import TOML
import Terminal

/// The parser of key files: a section per context, a key sequence and its command per line.
///
/// ```toml
/// [everywhere]
/// "^O" = "palette"
/// "Alt+A" = "next-unread"
/// "^F" = ""                # nothing
/// ```
nonisolated package enum KeymapFile {
  /// Adds the bindings of a file to a keymap; invalid lines are skipped.
  /// - Parameters:
  ///   - commands: the names of all commands.
  ///   - isOther: whether a name is a command that is in no list.
  ///   - contexts: the names of all contexts.
  ///   - behind: the fallback of a context: an empty command for keys that the context does not
  ///     bind unbinds them in the fallback.
  ///   - typing: the contexts in which letters are text and cannot be bound.
  ///   - sending: the commands of which at least one must remain bound, because nothing could be
  ///     sent otherwise.
  /// - Returns: the errors of the file, each with its line, and warnings of bindings that do not
  ///   work on every terminal.
  package static func apply(
    _ text: String, to keymap: inout Keymap, commands: Set<String>,
    isOther: (String) -> Bool = { _ in false }, contexts: Set<String>,
    behind: [String: String] = [:], typing: Set<String> = [], sending: Set<String> = []
  ) -> (errors: [TOMLError], warnings: [TOMLError]) {
    let before = keymap
    func isCommand(_ name: String) -> Bool { commands.contains(name) || isOther(name) }
    var lastSending: TOMLTable.Entry?
    var (document, errors) = TOMLDocument.parseCollectingErrors(text)
    for entry in document.root.entries {
      errors.append(
        TOMLError(
          line: entry.line,
          LocalizableText(
            "mistake.keys.noSection",
            [
              "key": .verbatim(entry.key),
              "example": .verbatim(contexts.sorted().first ?? "name"),
            ])))
    }
    for table in document.tables.dropFirst() {
      let context = table.path.joined(separator: ".")
      guard contexts.contains(context) else {
        errors.append(
          TOMLError(
            line: table.line,
            unknown(
              "mistake.keys.unknownSection", "mistake.keys.sectionNear", context, known: contexts)))
        continue
      }
      for entry in table.entries {
        guard let sequence = KeySequence(entry.key) else {
          errors.append(
            TOMLError(
              line: entry.line,
              LocalizableText("mistake.keys.noKey", ["chord": .verbatim(entry.key)])))
          continue
        }
        guard let command = entry.value.string else {
          errors.append(
            TOMLError(
              line: entry.line,
              LocalizableText(
                "mistake.keys.noName",
                ["chord": .verbatim(entry.key), "found": entry.value.kindName])))
          continue
        }
        let couldSend = keymap.binds(anyOf: sending)
        defer { if couldSend, !keymap.binds(anyOf: sending) { lastSending = entry } }
        if command.isEmpty {
          let position = keymap.binds(sequence, in: context) ? nil : behind[context]
          keymap.unbind(sequence, in: position ?? context)
        } else if isCommand(command), typing.contains(context), sequence.beginsWithText {
          errors.append(
            TOMLError(
              line: entry.line,
              LocalizableText("mistake.keys.typed", ["chord": .verbatim(entry.key)])))
        } else if isCommand(command) {
          keymap.bind(sequence, to: command, in: context, line: entry.line)
        } else {
          errors.append(
            TOMLError(
              line: entry.line,
              unknown(
                "mistake.keys.unknownCommand", "mistake.keys.commandNear", command,
                known: commands, ["chord": .verbatim(entry.key)])))
        }
      }
    }
    var warnings: [TOMLError] = []
    if let lastSending, !keymap.binds(anyOf: sending) {
      warnings.append(
        TOMLError(
          line: lastSending.line,
          LocalizableText("mistake.keys.noSend", ["chord": .verbatim(lastSending.key)])))
    }
    for problem in keymap.problems() {
      guard let line = problem.binding.line, !problem.binding.isTwin else { continue }
      let reported = TOMLError(line: line, problem.sentence)
      guard problem.isWarning else {
        errors.append(reported)
        continue
      }
      // Repeating an existing binding makes nothing worse.
      if !before.binds(like: problem.binding) { warnings.append(reported) }
    }
    return (errors.sorted { $0.line < $1.line }, warnings)
  }

  /// A problem of a key file.
  package typealias Problem = FileProblem

  /// Adds the bindings of a file, and puts its name in the problems: `keys.toml:3: ...`.
  /// - Returns: the problems in the order of lines, and whether the whole file is valid.
  package static func apply(
    _ text: String, of file: String, to keymap: inout Keymap, commands: Set<String>,
    isOther: (String) -> Bool = { _ in false }, contexts: Set<String>,
    behind: [String: String] = [:], typing: Set<String> = [],
    sending: Set<String> = []
  ) -> (problems: [Problem], isWhole: Bool) {
    let (errors, warnings) = apply(
      text, to: &keymap, commands: commands, isOther: isOther, contexts: contexts, behind: behind,
      typing: typing,
      sending: sending)
    return (
      (errors + warnings).sorted { $0.line < $1.line }.map { $0.problem(in: file) }, errors.isEmpty
    )
  }

  /// - Parameters:
  ///   - key: the text for a name that is similar to no other.
  ///   - near: the text for a name that is similar to one of `known`.
  private static func unknown(
    _ key: String, _ near: String, _ name: String, known: Set<String>,
    _ arguments: [String: LocalizableText.Word] = [:]
  ) -> LocalizableText {
    var arguments = arguments
    arguments["name"] = .verbatim(name)
    guard let nearest = Spelling.nearest(to: name, among: known.sorted()) else {
      return LocalizableText(key, arguments)
    }
    arguments["nearest"] = .verbatim(nearest)
    return LocalizableText(near, arguments)
  }
}
