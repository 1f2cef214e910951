import NatterCore
import Text
import ViewModels
import XMPP

/// A command of line mode: the name of a command of the shared table (`CommandTable`), from which
/// its other names and its help come, and its effect here.
struct PlainCommand {
  /// A typed command.
  struct Call {
    let session: PlainSession
    /// The text after the name, trimmed.
    let text: String
    /// The name as it was typed.
    let typed: String
    /// The question that the previous command asked; the same command confirms it.
    let asked: PlainQuestion?
  }

  let name: String
  /// Indicates whether only the whole name is accepted, and not its beginning.
  let isWhole: Bool
  let run: (Call) async throws -> Void

  init(
    _ name: String, isWhole: Bool = false, run: @escaping (Call) async throws -> Void
  ) {
    (self.name, self.isWhole, self.run) = (name, isWhole, run)
  }
}

/// A question that line mode has asked. Repeating the command confirms it; any other input drops
/// it.
enum PlainQuestion: Equatable {
  case delete(Message.ID)
  /// Ends the transfers.
  case cancel([FileTransfer.ID])
  case remove(JID)
  case block(JID)
  /// Enables the script of that name.
  case enable(String)
}

/// The commands of line mode.
struct PlainCommandTable {
  let localizer: Localizer

  /// Those that the shared table does not have: the full screen has dialogs and lists for them.
  static let ownNames: Set<String> = ["accept", "deny"]

  /// The keys of texts that say what helps where line mode does not have a command.
  private static let substitutes = [
    "account": "plain.other-account", "logout": "plain.sign-out", "lang": "plain.other-language",
  ]

  /// Runs a typed command, or says what to use instead.
  /// - Returns: `false` when the user wants to quit.
  func run(_ call: PlainCommand.Call) async throws -> Bool {
    let name = try name(of: call.typed)
    if let command = Self.command(name) {
      try await command.run(call)
    } else if try await !PlainScripts(session: call.session).runsCommand(call) {
      refuse(name, call)
    }
    return name != "quit"
  }

  static func command(_ name: String) -> PlainCommand? {
    PlainCommand.all.first { $0.name == name }
  }

  /// Returns the name of a command that was typed in part, or translated (interface.md,
  /// "Languages"); `typed` itself if there is none.
  /// - Throws: `NatterError` that names those that it may mean.
  func name(of typed: String) throws -> String {
    let wanted = typed.lowercased()
    if Self.ownNames.contains(wanted) { return wanted }
    if let exact = sharedCommand(wanted) { return exact.name }
    // The beginning of a command of the full screen never means another one that ends something.
    let names = Set(PlainCommand.all.filter { !$0.isWhole }.map(\.name) + ["config", "destroy"])
    let table = CommandTable(CommandTable.all.filter { names.contains($0.name) })
    do { return try table.speaking(localizer).command(named: typed).name } catch let error
      as NatterError where error.key != "error.ambiguousCommand"
    {
      // The text of line mode names the way to its own help.
      return wanted
    }
  }

  /// Returns the command of the full screen that has this name, this alias, or this name in the
  /// user's language; `nil` if there is none.
  func sharedCommand(_ name: String) -> Command? {
    let table = CommandTable().speaking(localizer)
    return table.commands.first { $0.name == name || $0.aliases.contains(name) }
      ?? table.translated.first { $0.name == name }?.command
  }

  /// Says what to use instead of a command that line mode does not have.
  func refuse(_ name: String, _ call: PlainCommand.Call) {
    let session = call.session
    if let key = Self.substitutes[name] {
      return session.say(key, ["account": session.account.jid.bare.description])
    }
    if CommandTable.all.contains(where: { $0.name == name }) {
      return session.say("plain.full-screen", ["command": name])
    }
    let similar = PlainCommand.all.map(\.name).filter { name in
      localizer.synonyms(of: "command.\(name)").split(separator: ",")
        .contains { String($0).trimmed == call.typed.lowercased() }
    }
    let names = similar.sorted().map { "/" + $0 }
    session.say(
      names.isEmpty ? "plain.unknown-command" : "plain.similar-command",
      ["command": call.typed, "names": localizer.list(names)])
  }
}
