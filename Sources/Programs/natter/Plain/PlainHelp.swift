import NatterCore
import Text
import ViewModels

/// The help of line mode: the texts of the shared commands, and its own where a command does less
/// or more here (`PlainText.own`).
struct PlainHelp {
  let session: PlainSession

  private var localizer: Localizer { session.localizer }

  /// `/help [NAME]`: prints one command a line, or one command with its other names.
  /// - Throws: `NatterError` if `argument` may mean several commands.
  func show(_ argument: String) throws {
    guard !argument.isEmpty else {
      for command in PlainCommand.all { session.print(line(of: command.name)) }
      return session.say("plain.help")
    }
    let typed = argument.first == "/" ? String(argument.dropFirst()) : argument
    let table = PlainCommandTable(localizer: localizer)
    let name = try table.name(of: typed)
    let shared = table.sharedCommand(name)
    guard PlainCommandTable.command(name) != nil || shared != nil else {
      let call = PlainCommand.Call(session: session, text: "", typed: typed, asked: nil)
      return table.refuse(name, call)
    }
    session.print(line(of: name))
    let aliases = (shared?.aliases ?? []).filter { $0.contains(where: \.isLetter) }
    if !aliases.isEmpty {
      session.say("plain.help-aliases", ["names": localizer.list(aliases.map { "/" + $0 })])
    }
    if PlainCommandTable.command(name) == nil {
      session.say("plain.full-screen", ["command": name])
    }
  }

  /// Prints how a command is written, as its help does, for one that was typed without what it
  /// needs.
  func showUsage(of name: String) { session.say("plain.usage", ["usage": usage(of: name)]) }

  private func usage(of name: String) -> String { localizer("command.\(name).usage") }

  private func line(of name: String) -> String {
    localizer(
      "plain.help-line",
      [
        "usage": usage(of: name),
        "summary": localizer("command.\(name).summary"),
      ])
  }
}
