import FoundationEssentials
import JSONLines
import NatterCore
import Storage
import Text
import ViewModels
import XMPP

/// Prints the stored messages of an account: as JSON objects, or as lines in local time.
struct MessagePrinter {
  let account: JID
  let database: AccountDatabase
  let names: StoredNames
  let isJSON: Bool
  let output: ReadingOutput
  /// Indicates whether a line names the conversation.
  var showsConversation = false

  /// Prints a message with its whole text.
  func print(_ message: Message) async throws {
    guard message.isShortened else { return try await printWhole(message) }
    try await printWhole(database.timeline.whole(message))
  }

  private func printWhole(_ message: Message) async throws {
    guard isJSON else {
      let lines = MessageLines(names: names, showsConversation: showsConversation)
      return try output.print(lines.lines(of: message))
    }
    let first = try await database.details.firstText(of: message)
    try output.print(
      JSONLine(message, of: account, kind: names.kind(of: message.conversation), first: first))
  }

  /// Prints that messages are missing.
  func print(_ hole: HistoryHole) throws {
    guard isJSON else { return try output.print(names.format.localizer("cli.history-missing")) }
    try output.print(
      JSONLine {
        $0.add("hole") {
          $0.add("before", hole.before)
          $0.add("after", hole.after)
        }
      })
  }

  /// Returns a time as it is in lines.
  func stamp(_ time: Date) -> String { names.format.stamp(time) }
}
