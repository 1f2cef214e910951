import TOML

/// Reading key files: a section per context, a key sequence and its command per line.
///
/// ```toml
/// [everywhere]
/// "^O" = "palette"
/// "Alt+A" = "next-unread"
/// "^F" = ""                # nothing
/// ```
package enum KeymapFile {
  /// Adds the bindings of a file to a keymap; what is wrong is left out.
  /// - Parameters:
  ///   - commands: the names of all commands.
  ///   - contexts: the names of all contexts.
  ///   - behind: a context that comes after another one: what that has not is taken away from it.
  ///   - typing: the contexts in which letters are text: none of them is a command there.
  ///   - sending: the commands of which one has to be left: without it nothing that is typed goes anywhere.
  /// - Returns: what is wrong with the file, each with its line, and what may not work on every terminal.
  package static func apply(
    _ text: String, to keymap: inout Keymap, commands: Set<String>, contexts: Set<String>,
    behind: [String: String] = [:], typing: Set<String> = [], sending: Set<String> = []
  ) -> (errors: [TOMLError], warnings: [TOMLError]) {
    let before = keymap
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
          let place = keymap.binds(sequence, in: context) ? nil : behind[context]
          keymap.unbind(sequence, in: place ?? context)
        } else if commands.contains(command), typing.contains(context), sequence.beginsWithText {
          errors.append(
            TOMLError(
              line: entry.line,
              LocalizableText("mistake.keys.typed", ["chord": .verbatim(entry.key)])))
        } else if commands.contains(command) {
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
      let told = TOMLError(line: line, problem.sentence)
      guard problem.isWarning else {
        errors.append(told)
        continue
      }
      // Whoever writes down what holds anyway has made nothing worse.
      if !before.binds(like: problem.binding) { warnings.append(told) }
    }
    return (errors.sorted { $0.line < $1.line }, warnings)
  }

  /// Something that is wrong in a key file.
  package typealias Problem = FileProblem

  /// The same, with the file's name in what is wrong: `keys.toml:3: ...`.
  /// - Returns: that, line by line, and whether all of the file is used.
  package static func apply(
    _ text: String, of file: String, to keymap: inout Keymap, commands: Set<String>,
    contexts: Set<String>, behind: [String: String] = [:], typing: Set<String> = [],
    sending: Set<String> = []
  ) -> (problems: [Problem], isWhole: Bool) {
    let (errors, warnings) = apply(
      text, to: &keymap, commands: commands, contexts: contexts, behind: behind, typing: typing,
      sending: sending)
    return (
      (errors + warnings).sorted { $0.line < $1.line }.map { $0.problem(in: file) }, errors.isEmpty
    )
  }

  /// - Parameters:
  ///   - key: the sentence's text for a name that is like no other.
  ///   - near: the one for a name that is nearly one of `known`.
  private static func unknown(
    _ key: String, _ near: String, _ name: String, known: Set<String>,
    _ words: [String: LocalizableText.Word] = [:]
  ) -> LocalizableText {
    var words = words
    words["name"] = .verbatim(name)
    guard let nearest = Spelling.nearest(to: name, among: known.sorted()) else {
      return LocalizableText(key, words)
    }
    words["nearest"] = .verbatim(nearest)
    return LocalizableText(near, words)
  }
}
