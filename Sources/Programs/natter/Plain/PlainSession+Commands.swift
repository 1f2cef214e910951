import NatterCore
import ViewModels

// What a typed command is called.
extension PlainSession {
  /// The commands of the full screen that line mode has, too, and that may be typed in part.
  static let commonNames: Set<String> = [
    "edit", "react", "delete", "quit", "help", "chat", "msg", "add", "upload", "save", "retry",
    "cancel", "connect", "login", "join", "leave", "members", "nick", "invite", "topic", "voice",
    "me", "kick", "ban", "unban", "affiliation", "role", "config", "destroy",
  ]
  /// Its own, for which the full screen has dialogs.
  static let ownNames: Set<String> = ["accept", "deny"]

  /// The name of a command that was typed in part, or translated (interface.md, "Languages").
  /// - Throws: `NatterError` that names those that it may mean.
  func commandName(_ typed: String) throws -> String {
    let wanted = typed.lowercased()
    if Self.ownNames.contains(wanted) { return wanted }
    if let exact = PlainMoreCommands(session: self).wholeName(wanted) { return exact }
    let table = CommandTable(CommandTable.all.filter { Self.commonNames.contains($0.name) })
    do { return try table.speaking(localizer).command(named: typed).name } catch let error
      as NatterError where error.key != "error.ambiguousCommand"
    {
      // What line mode says of it, with the way to its own help.
      return wanted
    }
  }
}
