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
  /// - Returns: what is wrong with the file, each with its line, and what may not work on every terminal.
  package static func apply(
    _ text: String, to keymap: inout Keymap, commands: Set<String>, contexts: Set<String>
  ) -> (errors: [TOMLError], warnings: [TOMLError]) {
    var (document, errors) = TOMLDocument.parseCollectingErrors(text)
    for entry in document.root.entries {
      errors.append(
        TOMLError(
          line: entry.line, problem: "\(entry.key) stands in no section",
          advice: "Put a section like [\(contexts.sorted().first ?? "name")] above it."))
    }
    for table in document.tables.dropFirst() {
      let context = table.path.joined(separator: ".")
      guard contexts.contains(context) else {
        errors.append(
          unknown("section", context, line: table.line, known: contexts))
        continue
      }
      for entry in table.entries {
        guard let sequence = KeySequence(entry.key) else {
          errors.append(
            TOMLError(
              line: entry.line, problem: "\"\(entry.key)\" is no key",
              advice: "Keys are spelled like ^O, Alt+A, PgUp or F1."))
          continue
        }
        guard let command = entry.value.string else {
          errors.append(
            TOMLError(
              line: entry.line,
              problem: "\"\(entry.key)\" has \(entry.value.kindName) as its value",
              advice: "Write the name of a command in quotation marks."))
          continue
        }
        if command.isEmpty {
          keymap.unbind(sequence, in: context)
        } else if commands.contains(command) {
          keymap.bind(sequence, to: command, in: context, line: entry.line)
        } else {
          errors.append(
            unknown("command", command, line: entry.line, known: commands, key: entry.key))
        }
      }
    }
    var warnings: [TOMLError] = []
    for problem in keymap.problems() {
      guard let line = problem.binding.line, !problem.binding.isTwin else { continue }
      let told = TOMLError(line: line, problem: problem.text)
      if problem.isWarning { warnings.append(told) } else { errors.append(told) }
    }
    return (errors.sorted { $0.line < $1.line }, warnings)
  }

  /// The same, with what is wrong as lines that name the file: `keys.toml:3: ...`.
  /// - Returns: the lines in their order, and whether all of the file is used.
  package static func apply(
    _ text: String, of file: String, to keymap: inout Keymap, commands: Set<String>,
    contexts: Set<String>
  ) -> (problems: [String], isWhole: Bool) {
    let (errors, warnings) = apply(text, to: &keymap, commands: commands, contexts: contexts)
    return (
      (errors + warnings).sorted { $0.line < $1.line }.map { $0.description(in: file) },
      errors.isEmpty
    )
  }

  /// - Parameter key: the one that was to do it, as the file has it.
  private static func unknown(
    _ what: String, _ name: String, line: Int, known: Set<String>, key: String? = nil
  ) -> TOMLError {
    let nearest = Spelling.nearest(to: name, among: known.sorted())
    let subject = key.map { "\"\($0)\": " } ?? ""
    return TOMLError(
      line: line, problem: "\(subject)there is no \(what) \"\(name)\"",
      advice: nearest.map { "Did you mean \"\($0)\"?" } ?? "")
  }
}
