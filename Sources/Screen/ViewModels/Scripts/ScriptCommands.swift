import NatterCore
import Text

/// The commands that scripts offer, under the names that the user types: `/greet`, and
/// `/greeter:greet` where another command has that name or begins with it.
package struct ScriptCommands {
  /// A command of a script.
  package struct Entry {
    /// The name that help and completion show, without the slash.
    package let name: String
    /// With the script's name; `nil`: that is the name already.
    package let whole: String?
    package let script: ScriptSummary
    package let command: ScriptManifest.Command
  }

  package let entries: [Entry]
  private let localizer: Localizer

  /// - Parameters:
  ///   - scripts: all of them, by name; those that are off, or not valid, offer nothing.
  ///   - table: the commands whose names cannot be taken.
  ///   - others: further names that cannot be taken.
  package init(
    _ scripts: [ScriptSummary], beside table: CommandTable, and others: Set<String> = [],
    _ localizer: Localizer
  ) {
    self.localizer = localizer
    let names =
      table.commands.flatMap { [$0.name] + $0.aliases } + table.translated.map(\.name) + others
    var taken: Set<String> = []
    var entries: [Entry] = []
    for script in scripts where script.offersCommands {
      for command in script.manifest?.commands ?? [] {
        let whole = "\(script.name):\(command.name)"
        // The beginning of a name is a command, too, that users have in their fingers.
        let isFree =
          !names.contains { $0.hasPrefix(command.name) } && taken.insert(command.name).inserted
        entries.append(
          Entry(
            name: isFree ? command.name : whole, whole: isFree ? whole : nil, script: script,
            command: command))
      }
    }
    self.entries = entries
  }

  /// Returns the command of that name, in any case; `nil` if there is none.
  package func entry(named name: String) -> Entry? {
    let wanted = name.lowercased()
    return entries.first { $0.name == wanted || $0.whole == wanted }
  }

  /// The same for the table of commands.
  var commands: [Command] {
    entries.map { entry in
      let (name, script) = (entry.command.name, entry.script.name)
      var made = Command(
        entry.name, aliases: [entry.whole].compactMap { $0 },
        entry.command.arguments.isEmpty ? [] : [.text]
      ) { call, context in context.tools.scripts.run(name, of: script, call) }
      made.texts = texts(of: entry)
      return made
    }
  }

  /// How a command is written, and what it does.
  package func texts(of entry: Entry) -> CommandTexts {
    let arguments = ErrorText.oneLine(entry.command.arguments, limit: 60)
    return CommandTexts(
      usage: arguments.isEmpty ? "/\(entry.name)" : "/\(entry.name) \(arguments)",
      summary: localizer(
        "scripts.commandHelp",
        [
          "help": ErrorText.oneLine(entry.command.help, limit: 120),
          "title": ErrorText.oneLine(entry.script.manifest?.title ?? entry.script.name, limit: 40),
        ]), isInPalette: entry.command.isInPalette)
  }
}

extension ScriptSummary {
  /// Indicates whether its commands can be entered: it is enabled, and valid.
  var offersCommands: Bool {
    switch state {
    case .sleeping, .running, .asking, .failed: true
    case .off, .bad, .unsafe, .changed: false
    }
  }

  /// Indicates whether the user has enabled it, as it is now.
  package var isEnabled: Bool { offersCommands || refusal != nil }
}
