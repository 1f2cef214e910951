import NatterCore
import Text

/// The table of commands, shared by typed lines, completion and help.
package struct CommandTable {
  package let commands: [Command]
  /// The commands of scripts, which change while the program runs, by their names.
  package private(set) var added: () -> [Command] = { [] }
  /// The commands' names in the user's language: `aide=help quitter=quit`.
  private var localNames: @Sendable () -> String = { "" }

  package init(_ commands: [Command] = CommandTable.all) { self.commands = commands }

  /// The commands of this table, and those of scripts.
  package var all: [Command] { commands + added() }

  /// Returns the same table with names of another language in addition to the commands' own
  /// (interface.md, "Languages").
  /// - Parameter scripts: those whose commands are added; `nil`: there are none.
  package func speaking(_ localizer: Localizer, scripts: ScriptCenter? = nil) -> CommandTable {
    var table = self
    if let scripts {
      let own = table
      table.added = { [weak scripts] in
        scripts.map { ScriptCommands($0.scripts, beside: own, localizer).commands } ?? []
      }
    }
    // Read at the first typed command, and not before.
    table.localNames = { localizer("command.names") }
    return table
  }

  /// The names in the user's language that differ from the commands' own, each with its command.
  package var translated: [(name: String, command: Command)] {
    localNames().split(separator: " ").compactMap { pair in
      let parts = pair.split(separator: "=", maxSplits: 1)
      guard parts.count == 2, parts[0] != parts[1],
        let command = commands.first(where: { $0.name == parts[1] })
      else { return nil }
      return (String(parts[0]), command)
    }
  }

  /// The other names of each command, by its name: aliases and the user's language, with and
  /// without the slash.
  package var otherNames: [String: [String]] {
    let aliases = commands.flatMap { command in command.aliases.map { (command.name, $0) } }
    return Dictionary(
      (aliases + translated.map { ($0.command.name, $0.name) }).map { ($0, [$1, "/" + $1]) },
      uniquingKeysWith: +)
  }

  /// Every command, in the order help lists them.
  package static let all: [Command] =
    [
      .help, .chat, .msg, .me, .close, .clear, .pin, .unpin, .pins, ThreadCommand.thread, .number,
      .undo, .split, .join,
      .leave,
      .members,
      .nick,
      .topic,
      .invite, .kick, .ban, .unban, .affiliation, .role, .voice, .config, .destroy, .add, .remove,
      .block,
      .unblock, .whois, .command, .status, .away, .back, .upload, .open, .save, .forward, .reveal,
      .location, HistoryCommands.pause, .retry,
      HistoryCommands.cancel, .connect, .disconnect, .synchronize, .search, .goTo,
      HistoryCommands.history,
    ] + HistoryFileCommands.all + [
      .reply, .edit, .react, .delete, .copy, .link,
      .chats, .contacts,
      .discover,
      .files, .settings,
      NotifyCommand.notify,
    ] + ReadCommands.all + FamiliarCommands.all + [
      .theme, .lang, .perform, ScriptCommand.script, .redraw,
      .reload,
      .account, .login, .logout, .password, .unregister, .quit,
    ]

  /// Beginnings of names that meant one command before another one had the same beginning: they
  /// keep their meaning, which users have in their fingers. Never a command that ends something
  /// (`Command.isFinal`).
  package static let abbreviations = [
    "e": "edit", "i": "invite", "pi": "pin", "rea": "react", "sa": "save", "th": "theme",
  ]

  /// Commands that came after others had names in the user's language: they take no beginning of
  /// these names.
  static let later: Set = ["export", "import", "script"]

  /// Returns the command that the user means by `name`, in any case: a name, an alias, a name in
  /// the user's language, or an unambiguous prefix.
  /// - Throws: `NatterError` that names the nearest command, or those with that prefix.
  package func command(named name: String) throws -> Command {
    let wanted = name.lowercased()
    if let exact = commands.first(where: { $0.name == wanted || $0.aliases.contains(wanted) }) {
      return exact
    }
    let translated = translated
    if let exact = translated.first(where: { $0.name == wanted }) { return exact.command }
    if let script = added().first(where: { $0.name == wanted || $0.aliases.contains(wanted) }) {
      return script
    }
    let matches = wanted.isEmpty ? [] : commands.filter { $0.name.hasPrefix(wanted) }
    let own = wanted.isEmpty ? [] : translated.filter { $0.name.hasPrefix(wanted) }
    let isOthers = own.contains { !Self.later.contains($0.command.name) }
    if matches.count == 1, !isOthers || !Self.later.contains(matches[0].name) { return matches[0] }
    if let kept = Self.abbreviations[wanted],
      let command = matches.first(where: { $0.name == kept })
    {
      return command
    }
    if matches.count > 1 {
      throw NatterError(
        .invalidInput, "error.ambiguousCommand",
        ["name": name, "names": matches.map { "/" + $0.name }.joined(separator: ", ")])
    }
    if own.count == 1 { return own[0].command }
    if own.count > 1 {
      throw NatterError(
        .invalidInput, "error.ambiguousCommand",
        ["name": name, "names": own.map { "/" + $0.name }.joined(separator: ", ")])
    }
    if let near = nearest(to: wanted, translated.map(\.name)) {
      let isFinal = (try? command(named: near))?.isFinal ?? false
      throw NatterError(
        .invalidInput, isFinal ? "error.unknownCommandLike" : "error.unknownCommandNear",
        ["name": name, "near": near])
    }
    throw NatterError(.invalidInput, "error.unknownCommand", ["name": name])
  }

  /// Returns the name closest to `name`, if the difference is small.
  private func nearest(to name: String, _ translated: [String]) -> String? {
    // One or two letters are close to any name.
    guard (3...24).contains(name.count) else { return nil }
    let names = commands.flatMap { [$0.name] + $0.aliases } + translated
    let best = names.map { ($0, editDistance(name, $0)) }.min { $0.1 < $1.1 }
    // In a short word two changes make another word.
    guard let best, best.1 <= (name.count < 6 ? 1 : 2) else { return nil }
    return best.0
  }
}

/// Returns the number of letters to change, insert, delete or swap to get `b` from `a`.
nonisolated func editDistance(_ a: String, _ b: String) -> Int {
  let (a, b) = (Array(a), Array(b))
  guard !a.isEmpty, !b.isEmpty else { return max(a.count, b.count) }
  var rows = [Array(0...b.count)]
  for i in 1...a.count {
    var row = [i]
    for j in 1...b.count {
      let same = a[i - 1] == b[j - 1]
      var least = min(rows[i - 1][j] + 1, row[j - 1] + 1, rows[i - 1][j - 1] + (same ? 0 : 1))
      if i > 1, j > 1, a[i - 1] == b[j - 2], a[i - 2] == b[j - 1] {
        least = min(least, rows[i - 2][j - 2] + 1)
      }
      row.append(least)
    }
    rows.append(row)
  }
  return rows[a.count][b.count]
}

extension NatterError {
  /// The command that an unknown name probably means.
  var nearCommand: String? { key == "error.unknownCommandNear" ? arguments["near"] : nil }
}
